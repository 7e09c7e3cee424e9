#!/usr/bin/python3
"""Measures a live pipeline, and serves the figures to Prometheus:

    prometheus-exporter.py [OPTION...] PIPELINE

PIPELINE is written as for gst-launch-1.0, with one or more cudahisto elements. The label `meter` of
a metric is the name of its element:

    prometheus-exporter.py --port=9110 "rtspsrc location=rtsp://camera/live ! decodebin name=d \\
      d. ! queue ! cudahisto name=picture ! fakesink \\
      d. ! queue ! cudahisto name=sound ! fakesink"

Prometheus then reads http://127.0.0.1:9110/metrics. The figures are those of the last second
(--window). If a stream ends or stands still, only its counters are served (--keep).
grafana-dashboard.json, beside this file, is a dashboard for them.

For streams that only are to be watched there is `cudahisto-report --serve`: docs/live.md.

Needs the module cudahisto (pipelines/python), the element cudahisto, and the Debian package
python3-prometheus-client.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import os
import signal


def interrupt_start(number, _frame):
    """Until main() has begun there is nothing to clean up, and an exception could be lost in what is imported."""
    os.write(2, b"prometheus-exporter.py: interrupted\n")
    os._exit(128 + number)


if __name__ == "__main__" and signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
    signal.signal(signal.SIGINT, interrupt_start)

import argparse
import collections
import contextlib
import math
import socket
import socketserver
import sys
import threading
import time
from wsgiref import simple_server

try:
    import cudahisto
    import prometheus_client
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
except (ImportError, ValueError) as error:
    sys.exit(f"prometheus-exporter.py: {error}")

# name: (kind, help, labels beside `meter`)
METRICS = {
    "cudahisto_video_level": (
        GaugeMetricFamily, "Level of a component in sample units: mean, min, max, p1, ... p99",
        ["component", "figure"]),
    "cudahisto_audio_rms_dbfs": (GaugeMetricFamily, "RMS of a channel", ["channel"]),
    "cudahisto_audio_peak_dbfs": (GaugeMetricFamily, "Peak of a channel", ["channel"]),
    "cudahisto_true_peak_dbtp": (
        GaugeMetricFamily, "True peak of a channel since the start", ["channel"]),
    "cudahisto_loudness_lufs": (
        GaugeMetricFamily, "Loudness: momentary, short-term, integrated", ["span"]),
    "cudahisto_loudness_range_lu": (GaugeMetricFamily, "Loudness range since the start", []),
    "cudahisto_alert_active": (GaugeMetricFamily, "1 while the alert lasts, else 0", ["type"]),
    "cudahisto_alerts": (CounterMetricFamily, "Alerts that have begun", ["type"]),
    "cudahisto_frames": (CounterMetricFamily, "Measured buffers", []),
    "cudahisto_bytes": (CounterMetricFamily, "Measured bytes", []),
    "cudahisto_dropped": (CounterMetricFamily, "Buffers without a result because of qos", []),
    "cudahisto_fallbacks": (
        CounterMetricFamily, "Buffers that the CPU measured because the device failed", []),
    "cudahisto_gpu_seconds": (CounterMetricFamily, "Time of the device for measuring", []),
    "cudahisto_cpu_seconds": (CounterMetricFamily, "Processor time for measuring", []),
    "cudahisto_queue_level": (GaugeMetricFamily, "Buffers in flight", []),
    "cudahisto_last_result_timestamp_seconds": (
        GaugeMetricFamily, "When the latest result came: seconds since 1970", []),
}
# Fields of the property `stats`: the metric, and its unit in that of the field.
STATS = {"frames": ("cudahisto_frames", 1), "bytes": ("cudahisto_bytes", 1),
         "dropped": ("cudahisto_dropped", 1), "fallbacks": ("cudahisto_fallbacks", 1),
         "gpu-time": ("cudahisto_gpu_seconds", 1e-9), "cpu-time": ("cudahisto_cpu_seconds", 1e-9),
         "queue-level": ("cudahisto_queue_level", 1)}
LEVELS = ["mean", "min", "max", "p1", "p10", "p50", "p90", "p99"]
SPANS = ["momentary", "short-term", "integrated"]


def names():
    """The names as Prometheus sees them."""
    return {name + ("_total" if kind is CounterMetricFamily else "")
            for name, (kind, _, _) in METRICS.items()}


class Meter:
    """What an element has posted."""

    def __init__(self):
        self.figures = {}               # (metric, labels): value; of the latest result alone
        self.result_came = None         # time.monotonic()
        self.result_time = None         # seconds since 1970
        self.n_begun = collections.Counter()    # alerts by their type
        self.n_active = collections.Counter()

    def add_alert(self, alert):
        kind = alert["type"]
        begins = alert["state"] == "begin"
        self.n_begun[kind] += begins
        # An alert of several regions or channels is active while one of them is.
        self.n_active[kind] = max(self.n_active[kind] + (1 if begins else -1), 0)

    def add_result(self, result):
        self.result_came, self.result_time = time.monotonic(), time.time()
        # Components that were in earlier results may be gone.
        self.figures = dict(video_figures(result) if result["media"] == "video"
                            else audio_figures(result))

    def values(self, seconds_to_keep):
        """(metric, labels beside the meter), value"""
        for kind, n in self.n_begun.items():
            yield ("cudahisto_alerts", (kind,)), n
        if self.result_came is None:
            return
        yield ("cudahisto_last_result_timestamp_seconds", ()), self.result_time
        if time.monotonic() - self.result_came <= seconds_to_keep:
            yield from self.figures.items()
            for kind, n in self.n_active.items():
                yield ("cudahisto_alert_active", (kind,)), min(n, 1)


def video_figures(result):
    for component in result["components"]:
        for figure in LEVELS:
            yield ("cudahisto_video_level", (component, figure)), result[component][figure]


def audio_figures(result):
    for channel in result["components"]:
        for figure in "rms", "peak":
            if figure in result[channel]:
                yield (f"cudahisto_audio_{figure}_dbfs", (channel,)), result[channel][figure]
    loudness = result.get("loudness")
    if loudness is None:
        return
    for span in SPANS:
        yield ("cudahisto_loudness_lufs", (span,)), loudness[span]
    yield ("cudahisto_loudness_range_lu", ()), loudness["range"]
    for channel, peak in zip(result["components"], loudness["true-peak"]):
        yield ("cudahisto_true_peak_dbtp", (channel,)), float(peak)


class Exporter:
    """Keeps what the elements post. Prometheus' threads read it with collect()."""

    def __init__(self, measurement, seconds_to_keep):
        self.measurement = measurement
        self.seconds_to_keep = seconds_to_keep
        self.lock = threading.Lock()
        self.meters = collections.defaultdict(Meter)        # by the names of the elements

    def add(self, item):
        with self.lock:
            meter = self.meters[item.stream.name]
            if item.kind == "alert":
                meter.add_alert(item)
            else:
                meter.add_result(item)

    def collect(self):
        """Called for each request. All metrics are served, also those without values."""
        with self.lock:
            values = [(metric, (name, *labels), value) for name, meter in self.meters.items()
                      for (metric, labels), value in meter.values(self.seconds_to_keep)]
        for name, stats in self.measurement.stats().items():
            for field, (metric, unit) in STATS.items():
                values.append((metric, (name,), stats[field] * unit))
        families = {name: kind(name, text, labels=["meter"] + labels)
                    for name, (kind, text, labels) in METRICS.items()}
        for metric, labels, value in values:
            families[metric].add_metric(labels, value)
        return families.values()


# ---- The server ---------------------------------------------------------------------------------

# Clients that are connected at the same time. One more takes the place of the oldest one.
MOST_CLIENTS = 32
# A request and its answer take milliseconds.
MOST_SECONDS = 5


class Server(socketserver.ThreadingMixIn, simple_server.WSGIServer):
    """Clients that send nothing, or read nothing, neither use up the threads and files nor keep
    others from being served."""
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, *arguments):
        self.clients = {}               # socket: when it came; the oldest one first
        self.clients_lock = threading.Lock()
        super().__init__(*arguments)

    def process_request(self, request, client_address):
        with self.clients_lock:
            if len(self.clients) >= MOST_CLIENTS:
                self.drop(next(iter(self.clients)))
            self.clients[request] = time.monotonic()
        super().process_request(request, client_address)

    def shutdown_request(self, request):
        """Called when a client is done."""
        with self.clients_lock:
            self.clients.pop(request, None)
        super().shutdown_request(request)

    def service_actions(self):
        """Called twice a second."""
        super().service_actions()
        latest = time.monotonic() - MOST_SECONDS
        with self.clients_lock:
            for client in [client for client, came in self.clients.items() if came < latest]:
                self.drop(client)

    def drop(self, client):
        """Its thread does not wait any longer, and ends."""
        del self.clients[client]
        with contextlib.suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request, client_address):
        """A client that is gone is no error."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class QuietHandler(simple_server.WSGIRequestHandler):
    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        """Requests are not logged."""


def serve(exporter, address, port):
    registry = prometheus_client.CollectorRegistry(auto_describe=False)
    registry.register(exporter)
    Server.address_family = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0][0]
    server = simple_server.make_server(address, port, prometheus_client.make_wsgi_app(registry),
                                       Server, QuietHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host = f"[{address}]" if ":" in address else address
    print(f"prometheus-exporter.py: http://{host}:{server.server_port}/metrics",
          file=sys.stderr, flush=True)


def address_of(text):
    # The library would listen on all networks.
    if not text.strip():
        raise argparse.ArgumentTypeError("the address is empty")
    return text


def port_of(text):
    if not 0 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text} is no port: possible are 0 to 65535")
    return int(text)


def seconds_of(text):
    # This is also false for NaN.
    if not 0 < float(text) < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is no span of time")
    return float(text)


def main():
    parser = argparse.ArgumentParser(description="Serves what cudahisto measures to Prometheus.")
    parser.add_argument("--address", type=address_of, default="127.0.0.1",
                        help="where to listen (default: 127.0.0.1; 0.0.0.0: all networks)")
    parser.add_argument("--port", type=port_of, default=9110, help="default: 9110; 0: any")
    parser.add_argument("--measures", default="level+loudness", metavar="GROUPS")
    parser.add_argument("--alerts", default="black+freeze+silence+clipping", metavar="ALERTS")
    parser.add_argument("--window", type=seconds_of, default=1, metavar="SECONDS",
                        help="span of time that is measured together (default: 1)")
    parser.add_argument("--keep", type=seconds_of, metavar="SECONDS",
                        help="how long the figures of a stream are served after its last result "
                        "(default: 10, and at least 5 windows)")
    parser.add_argument("pipeline", metavar="PIPELINE")
    arguments = parser.parse_args()
    try:
        for number in signal.SIGINT, signal.SIGTERM:
            if signal.getsignal(number) != signal.SIG_IGN:      # as with nohup
                signal.signal(number, signal.default_int_handler)
        measurement = cudahisto.launch(
            arguments.pipeline, measures=arguments.measures, alerts=arguments.alerts,
            window=arguments.window, meta=False, histogram=False)
        with measurement:
            exporter = Exporter(measurement, arguments.keep or max(10, 5 * arguments.window))
            serve(exporter, arguments.address, arguments.port)
            for item in measurement:
                exporter.add(item)
        print("prometheus-exporter.py: the pipeline has ended", file=sys.stderr)
    except (cudahisto.Error, ValueError, OverflowError, OSError) as error:
        sys.exit(f"prometheus-exporter.py: {error}")
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
