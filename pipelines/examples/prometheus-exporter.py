#!/usr/bin/python3
"""Measures a live pipeline, and serves the figures to Prometheus:

    prometheus-exporter.py [OPTION...] PIPELINE

PIPELINE is written as for gst-launch-1.0, with one or more cudahisto elements. The label `meter` of
a metric is the name of its element:

    prometheus-exporter.py --port=9110 "rtspsrc location=rtsp://camera/live ! decodebin name=d \\
      d. ! queue ! cudahisto name=picture ! fakesink \\
      d. ! queue ! cudahisto name=sound ! fakesink"

Prometheus then reads http://127.0.0.1:9110/metrics. The figures are those of the last second
(--window). grafana-dashboard.json, beside this file, is a dashboard for them.

Needs the module cudahisto (pipelines/python), the element cudahisto, and the Debian package
python3-prometheus-client.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import argparse
import signal
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


class Exporter:
    """Keeps the latest value of each metric. Prometheus' thread reads them with collect()."""

    def __init__(self, measurement):
        self.measurement = measurement
        self.lock = threading.Lock()
        self.values = {}                # (metric, labels): value

    def add(self, item):
        with self.lock:
            meter = item.stream.name
            self.values["cudahisto_last_result_timestamp_seconds", (meter,)] = time.time()
            if item.kind == "alert":
                self.add_alert(meter, item)
            elif item["media"] == "video":
                self.add_video(meter, item)
            else:
                self.add_audio(meter, item)

    def add_alert(self, meter, alert):
        key = meter, alert["type"]
        begins = alert["state"] == "begin"
        count = self.values.get(("cudahisto_alerts", key), 0)
        self.values["cudahisto_alerts", key] = count + begins
        # An alert of several regions or channels is active while one of them is.
        active = self.values.get(("cudahisto_alert_active", key), 0)
        self.values["cudahisto_alert_active", key] = max(active + (1 if begins else -1), 0)

    def add_video(self, meter, result):
        for component in result["components"]:
            for figure in LEVELS:
                self.values["cudahisto_video_level", (meter, component, figure)] = \
                    result[component][figure]

    def add_audio(self, meter, result):
        for channel in result["components"]:
            for figure in "rms", "peak":
                if figure in result[channel]:
                    self.values[f"cudahisto_audio_{figure}_dbfs", (meter, channel)] = \
                        result[channel][figure]
        loudness = result.get("loudness")
        if loudness is None:
            return
        for span in SPANS:
            self.values["cudahisto_loudness_lufs", (meter, span)] = loudness[span]
        self.values["cudahisto_loudness_range_lu", (meter,)] = loudness["range"]
        for channel, peak in zip(result["components"], loudness["true-peak"]):
            self.values["cudahisto_true_peak_dbtp", (meter, channel)] = float(peak)

    def collect(self):
        """Called for each request. All metrics are served, also those without values yet."""
        with self.lock:
            values = dict(self.values)
        for meter, stats in self.measurement.stats().items():
            for field, (metric, unit) in STATS.items():
                values[metric, (meter,)] = stats[field] * unit
        families = {name: kind(name, text, labels=["meter"] + labels)
                    for name, (kind, text, labels) in METRICS.items()}
        for (name, labels), value in values.items():
            if name == "cudahisto_alert_active":
                value = min(value, 1)
            families[name].add_metric(labels, value)
        return families.values()


class Server(socketserver.ThreadingMixIn, simple_server.WSGIServer):
    daemon_threads = True


class QuietHandler(simple_server.WSGIRequestHandler):
    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        """Requests are not logged."""


def serve(exporter, address, port):
    registry = prometheus_client.CollectorRegistry(auto_describe=False)
    registry.register(exporter)
    server = simple_server.make_server(address, port, prometheus_client.make_wsgi_app(registry),
                                       Server, QuietHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"prometheus-exporter.py: http://{address}:{server.server_port}/metrics",
          file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description="Serves what cudahisto measures to Prometheus.")
    parser.add_argument("--address", default="127.0.0.1",
                        help="where to listen (default: 127.0.0.1; 0.0.0.0: all networks)")
    parser.add_argument("--port", type=int, default=9110, help="default: 9110; 0: any")
    parser.add_argument("--measures", default="level+loudness", metavar="GROUPS")
    parser.add_argument("--alerts", default="black+freeze+silence+clipping", metavar="ALERTS")
    parser.add_argument("--window", type=float, default=1, metavar="SECONDS",
                        help="span of time that is measured together (default: 1)")
    parser.add_argument("pipeline", metavar="PIPELINE")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        measurement = cudahisto.launch(
            arguments.pipeline, measures=arguments.measures, alerts=arguments.alerts,
            window=arguments.window, meta=False, histogram=False)
        with measurement:
            exporter = Exporter(measurement)
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
