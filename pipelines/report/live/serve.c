/* Serves pages about inputs that go on; see serve.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "live/serve.h"

#include <gio/gio.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <string.h>

#include "base/interrupt.h"
#include "base/names.h"
#include "live/live-input.h"
#include "live/log.h"
#include "live/server.h"

/* How often the main thread looks for a signal, in ms. */
#define STEP 50
/* How long inputs may take to stop, in µs: the program ends within a second. */
#define PATIENCE (G_USEC_PER_SEC * 3 / 10)
/* Each connection has threads of its own. With an arena of memory for each, what they leave in them adds up over days. */
#define MOST_ARENAS 4
/* What is free goes back to the system so often, in s. */
#define TRIM 60

/* Returns: (transfer full) (nullable): NULL with an error: the name leads nowhere */
static GSocketAddress *
find_address (const gchar * name, guint16 port, GError ** error)
{
  g_autoptr (GResolver) resolver = g_resolver_get_default ();
  g_autoptr (GInetAddress) address = g_inet_address_new_from_string (name);
  GList *found;

  if (address == NULL) {
    found = g_resolver_lookup_by_name (resolver, name, NULL, error);
    if (found == NULL)
      return NULL;
    address = g_object_ref (found->data);
    g_resolver_free_addresses (found);
  }
  return g_inet_socket_address_new (address, port);
}

typedef struct
{
  GMainLoop *loop;
  ReportLog *log;
} Serving;

static void
tell (gpointer data, const gchar * line)
{
  report_log_write (((Serving *) data)->log, line);
}

static gboolean
look_for_signal (gpointer data)
{
  if (report_interrupt_signal () == 0)
    return G_SOURCE_CONTINUE;
  g_main_loop_quit (((Serving *) data)->loop);
  return G_SOURCE_REMOVE;
}

static gboolean
trim_memory (gpointer data)
{
#ifdef __GLIBC__
  malloc_trim (0);
#endif
  return G_SOURCE_CONTINUE;
}

/* The first line: programs read the address from it. */
static void
tell_address (const Serving * serving, const ReportServer * server)
{
  g_autofree gchar *address = report_server_address (server);
  g_autofree gchar *line = g_strdup_printf ("{\"type\":\"serving\",\"address\":\"%s\"}", address);

  report_log_write (serving->log, line);
}

/* Asks all inputs to stop, and waits a little. Returns: whether all have */
static gboolean
stop_inputs (GPtrArray * inputs)
{
  const gint64 until = g_get_monotonic_time () + PATIENCE;
  gboolean all;

  for (guint i = 0; i < inputs->len; i++)
    report_live_input_stop (inputs->pdata[i]);
  do {
    all = TRUE;
    for (guint i = 0; i < inputs->len; i++)
      all = all && report_live_input_has_stopped (inputs->pdata[i]);
    if (!all)
      g_usleep (G_USEC_PER_SEC / 100);
  } while (!all && g_get_monotonic_time () < until);
  return all;
}

/* Measures the inputs while the main loop answers. */
static gboolean
measure (Serving * serving, const ReportLiveSettings * settings, GSocketAddress * address, ReportGuard * guard, gchar ** names,
    GError ** error)
{
  const guint n = g_strv_length (names);
  ReportLive **live = g_new (ReportLive *, n);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  ReportServer *server;
  gboolean ok = TRUE;

  for (guint i = 0; i < n; i++) {
    g_autofree gchar *text = report_name_for_people (names[i]);

    live[i] = report_live_new (text, i, tell, serving);
  }
  server = report_server_new (address, guard, live, n, error);
  if (server == NULL) {
    for (guint i = 0; i < n; i++)
      report_live_free (live[i]);
    g_free (live);
    return FALSE;
  }
  tell_address (serving, server);
  for (guint i = 0; i < n && ok; i++) {
    ReportLiveInput *input = report_live_input_new (names[i], live[i], settings);

    if (input != NULL)
      g_ptr_array_add (inputs, input);
    else
      ok = report_fail (error, "the system gives no more threads");
  }
  g_timeout_add (STEP, look_for_signal, serving);
  g_timeout_add_seconds (TRIM, trim_memory, NULL);
  if (ok)
    g_main_loop_run (serving->loop);
  /* Threads that decode may not stop in time. What they use stays: the program ends. */
  if (stop_inputs (inputs)) {
    for (guint i = 0; i < inputs->len; i++)
      report_live_input_free (inputs->pdata[i]);
  }
  report_server_free (server);
  return ok;
}

/**
 * report_serve_run:
 * @options: checked
 * @settings: checked; must live as long as the program
 * @inputs: files, URIs or "test"
 *
 * Returns: after a signal; FALSE with an error if it cannot serve
 */
gboolean
report_serve_run (const ReportServeOptions * options, const ReportSettings * settings, gchar ** inputs, GError ** error)
{
  const guint n_processors = g_get_num_processors (), n = g_strv_length (inputs);
  /* Threads that do not stop in time use them until the program ends. */
  static ReportLiveSettings live;
  static Serving serving;
  g_autofree gchar *name = NULL, *token = NULL;
  g_autoptr (GSocketAddress) address = NULL;
  ReportGuard *guard;
  guint16 port;
  gboolean ok;

  if (!report_serve_parse (options->address, &name, &port, error))
    return FALSE;
#ifdef __GLIBC__
  mallopt (M_ARENA_MAX, MOST_ARENAS);
#endif
  address = find_address (name, port, error);
  if (address == NULL)
    return FALSE;
  if (!g_inet_address_get_is_loopback (g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address))) && options->token == NULL
      && !options->is_open)
    return report_fail (error, "--serve on another address than the loopback needs --serve-token FILE, or --serve-open: then "
        "everybody who reaches %s can read the pages", name);
  if (options->token != NULL) {
    token = report_guard_read_token (options->token, error);
    if (token == NULL)
      return FALSE;
  }
  guard = report_guard_new (g_hostname_is_ip_address (name) ? g_get_host_name () : name, token);
  live = (ReportLiveSettings) { settings, (gint) MAX (n_processors / n, 1), options->rate };
  serving.loop = g_main_loop_new (NULL, FALSE);
  serving.log = report_log_new ();
  ok = measure (&serving, &live, address, guard, inputs, error);
  report_log_finish (serving.log);
  g_main_loop_unref (serving.loop);
  return ok;
}
