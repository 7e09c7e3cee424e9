/* The pages over HTTP; see server.h.
 *
 * A client that follows the inputs gets server-sent events: the whole state of each input that has changed, and the rows of charts
 * since the last one that it has. Nothing is written to it while it has not taken what was written before. So a client that is slow,
 * or has lost its line, misses states in between, and no row.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "live/server.h"

#include <libsoup/soup.h>
#include <string.h>
#include <sys/resource.h>

#include "live/metrics.h"

/* Connections at a time, of all addresses and of one. */
#define MOST_CLIENTS 512
#define MOST_OF_ADDRESS 384
/* Connections that wait to be accepted. */
#define BACKLOG 4096
/* How long a connection may take for a request, or be idle, and for taking an answer; in µs. */
#define PATIENCE_WITH_REQUEST (15 * G_USEC_PER_SEC)
#define PATIENCE_WITH_ANSWER (20 * G_USEC_PER_SEC)
/* How often clients that follow are looked after, and connections; in ms. */
#define STEP 200
#define SWEEP 1000
/* A client hears something in this time, so that a line that is dead is found; in µs. */
#define MOST_QUIET (15 * G_USEC_PER_SEC)
/* libsoup has no name for it. */
#define TOO_MANY_REQUESTS 429
#define FOLDER "/cudahisto/live/"
#define CONNECTION_DATA "cudahisto-connection"

/* A state of an input, as it was sent. */
typedef struct
{
  guint64 version;              /* G_MAXUINT64: none */
  gchar *json;
} Cached;

struct _ReportServer
{
  SoupServer *soup;
  GSocketService *service;
  ReportGuard *guard;
  ReportLive *const *inputs;
  guint n;
  Cached *cached;               /* of each input */
  GPtrArray *connections;       /* (element-type Connection) */
  GPtrArray *followers;         /* (element-type Follower) */
  guint port;
  gchar *host;                  /* "127.0.0.1", "[::1]" */
  guint step, sweep;            /* sources */
};

typedef struct
{
  ReportServer *server;
  GSocket *socket;
  gchar *address;
  gint64 since;                 /* monotonic time: of the latest request, or of the latest answer's begin */
  gboolean is_answering;
  gboolean is_following;        /* a follower: it is looked after by itself */
} Connection;

typedef struct
{
  ReportServer *server;
  SoupServerMessage *message;
  Connection *connection;       /* (nullable) */
  gint input;                   /* -1: all */
  guint64 *versions;            /* of each input: what was sent */
  gint64 after;                 /* seconds since 1970 of the latest row that was sent */
  gboolean is_writing;
  gint64 latest;                /* monotonic time of the latest write */
} Follower;

/* ---- Connections ------------------------------------------------------------------------------ */

static void
connection_free (gpointer data)
{
  Connection *connection = data;

  g_object_unref (connection->socket);
  g_free (connection->address);
  g_free (connection);
}

/* The stream is gone: libsoup has closed it. */
static void
forget_connection (gpointer data, GObject * stream)
{
  Connection *connection = data;

  for (guint i = 0; i < connection->server->followers->len; i++) {
    Follower *follower = connection->server->followers->pdata[i];

    if (follower->connection == connection)
      follower->connection = NULL;
  }
  g_ptr_array_remove_fast (connection->server->connections, connection);
}

/* libsoup finds that the other end is gone, and frees what it has. */
static void
drop_connection (const Connection * connection)
{
  g_socket_shutdown (connection->socket, TRUE, TRUE, NULL);
}

static gboolean
has_room (const ReportServer * server, const gchar * address)
{
  guint n = 0;

  for (guint i = 0; i < server->connections->len; i++)
    n += g_str_equal (((const Connection *) server->connections->pdata[i])->address, address);
  return server->connections->len < MOST_CLIENTS && n < MOST_OF_ADDRESS;
}

static gboolean
take_connection (GSocketService * service, GSocketConnection * stream, GObject * source, gpointer data)
{
  ReportServer *server = data;
  g_autoptr (GSocketAddress) local = g_socket_connection_get_local_address (stream, NULL);
  g_autoptr (GSocketAddress) remote = g_socket_connection_get_remote_address (stream, NULL);
  g_autofree gchar *address = NULL;
  Connection *connection;

  if (local == NULL || !G_IS_INET_SOCKET_ADDRESS (remote))
    return TRUE;
  address = g_inet_address_to_string (g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (remote)));
  if (!report_guard_takes_connection (server->guard, address, g_get_monotonic_time ()) || !has_room (server, address)) {
    g_io_stream_close (G_IO_STREAM (stream), NULL, NULL);
    return TRUE;
  }
  connection = g_new0 (Connection, 1);
  connection->server = server;
  connection->socket = g_object_ref (g_socket_connection_get_socket (stream));
  connection->address = g_steal_pointer (&address);
  connection->since = g_get_monotonic_time ();
  g_ptr_array_add (server->connections, connection);
  g_object_set_data (G_OBJECT (remote), CONNECTION_DATA, connection);
  g_object_weak_ref (G_OBJECT (stream), forget_connection, connection);
  soup_server_accept_iostream (server->soup, G_IO_STREAM (stream), local, remote, NULL);
  return TRUE;
}

/* Returns: (nullable): that a message came by, if it is there still */
static Connection *
find_connection (const ReportServer * server, SoupServerMessage * message)
{
  GSocketAddress *remote = soup_server_message_get_remote_address (message);
  Connection *connection = remote != NULL ? g_object_get_data (G_OBJECT (remote), CONNECTION_DATA) : NULL;

  return connection != NULL && g_ptr_array_find (server->connections, connection, NULL) ? connection : NULL;
}

/* Drops those that say nothing, or take nothing. */
static gboolean
sweep (gpointer data)
{
  const ReportServer *server = data;
  const gint64 now = g_get_monotonic_time ();

  for (guint i = 0; i < server->connections->len; i++) {
    const Connection *connection = server->connections->pdata[i];

    if (!connection->is_following
        && now - connection->since > (connection->is_answering ? PATIENCE_WITH_ANSWER : PATIENCE_WITH_REQUEST))
      drop_connection (connection);
  }
  return G_SOURCE_CONTINUE;
}

static void
set_answering (const ReportServer * server, SoupServerMessage * message, gboolean is_answering)
{
  Connection *connection = find_connection (server, message);

  if (connection == NULL)
    return;
  connection->is_answering = is_answering;
  connection->since = g_get_monotonic_time ();
}

static void
see_request (SoupServer * soup, SoupServerMessage * message, gpointer data)
{
  set_answering (data, message, TRUE);
}

static void
see_answer (SoupServer * soup, SoupServerMessage * message, gpointer data)
{
  set_answering (data, message, FALSE);
}

/* ---- Answers ---------------------------------------------------------------------------------- */

/* The page loads nothing from elsewhere, runs no script but its own, and is shown in no other page. */
#define POLICY "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " \
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

static void
set_headers (SoupServerMessage * message, const gchar * cache)
{
  SoupMessageHeaders *headers = soup_server_message_get_response_headers (message);

  /* libsoup ends each connection that it did not accept itself. */
  soup_message_headers_replace (headers, "Connection", "close");
  soup_message_headers_replace (headers, "Content-Security-Policy", POLICY);
  soup_message_headers_replace (headers, "X-Content-Type-Options", "nosniff");
  soup_message_headers_replace (headers, "X-Frame-Options", "DENY");
  soup_message_headers_replace (headers, "Referrer-Policy", "no-referrer");
  soup_message_headers_replace (headers, "Cross-Origin-Resource-Policy", "same-origin");
  soup_message_headers_replace (headers, "Cache-Control", cache);
}

static void
answer_text (SoupServerMessage * message, guint status, const gchar * type, const gchar * text)
{
  soup_server_message_set_status (message, status, NULL);
  set_headers (message, "no-store");
  soup_server_message_set_response (message, type, SOUP_MEMORY_COPY, text, strlen (text));
}

/* Says no. */
static void
refuse (SoupServerMessage * message, guint status, const gchar * why)
{
  g_autofree gchar *text = g_strconcat (why, "\n", NULL);

  answer_text (message, status, "text/plain; charset=utf-8", text);
}

static void
answer_bytes (SoupServerMessage * message, const gchar * type, GBytes * bytes, const gchar * cache)
{
  if (bytes == NULL) {
    answer_text (message, SOUP_STATUS_NOT_FOUND, "text/plain; charset=utf-8", "there is no such thing\n");
    return;
  }
  soup_server_message_set_status (message, SOUP_STATUS_OK, NULL);
  set_headers (message, cache);
  soup_server_message_set_response (message, type, SOUP_MEMORY_COPY, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

/* @text: (transfer full): */
static void
answer_json (SoupServerMessage * message, gchar * text)
{
  answer_text (message, SOUP_STATUS_OK, "application/json; charset=utf-8", text);
  g_free (text);
}

/* ---- Those who follow ------------------------------------------------------------------------- */

static void
follower_free (gpointer data)
{
  Follower *follower = data;

  g_signal_handlers_disconnect_by_data (follower->message, follower);
  g_object_unref (follower->message);
  g_free (follower->versions);
  g_free (follower);
}

static void
see_written (SoupServerMessage * message, gpointer data)
{
  ((Follower *) data)->is_writing = FALSE;
}

static void
see_end (SoupServerMessage * message, gpointer data)
{
  Follower *follower = data;

  if (follower->connection != NULL)
    follower->connection->is_following = FALSE;
  g_ptr_array_remove_fast (follower->server->followers, follower);
}

/* Returns: (transfer none): how an input is */
static const gchar *
describe (ReportServer * server, guint input, guint64 version)
{
  Cached *cached = &server->cached[input];

  if (cached->version != version) {
    g_free (cached->json);
    cached->json = report_live_describe (server->inputs[input]);
    cached->version = version;
  }
  return cached->json;
}

/* Appends what the client does not have yet. */
static void
append_news (Follower * follower, GString * text)
{
  ReportServer *server = follower->server;
  gint64 after = follower->after;

  for (guint i = 0; i < server->n; i++) {
    const guint64 version = report_live_version (server->inputs[i]);

    if ((follower->input >= 0 && (guint) follower->input != i) || follower->versions[i] == version)
      continue;
    g_string_append_printf (text, "event: input\ndata: %s\n\n", describe (server, i, version));
    follower->versions[i] = version;
  }
  if (follower->input >= 0) {
    g_autofree gchar *rows = report_live_list_rows (server->inputs[follower->input], REPORT_ROWS_OF_SECONDS, follower->after, &after);

    /* The client says this number when it comes again. */
    if (after != follower->after)
      g_string_append_printf (text, "id: %" G_GINT64_FORMAT "\nevent: rows\ndata: %s\n\n", after, rows);
    follower->after = after;
  }
}

static void
write_news (Follower * follower)
{
  const gint64 now = g_get_monotonic_time ();
  g_autoptr (GString) text = NULL;
  SoupMessageBody *body;

  if (follower->is_writing) {
    if (now - follower->latest > PATIENCE_WITH_ANSWER && follower->connection != NULL)
      drop_connection (follower->connection);
    return;
  }
  text = g_string_new (NULL);
  append_news (follower, text);
  if (text->len == 0 && now - follower->latest < MOST_QUIET)
    return;
  if (text->len == 0)
    g_string_append (text, ":\n\n");
  body = soup_server_message_get_response_body (follower->message);
  soup_message_body_append (body, SOUP_MEMORY_COPY, text->str, text->len);
  follower->is_writing = TRUE;
  follower->latest = now;
  soup_server_message_unpause (follower->message);
}

static gboolean
write_to_all (gpointer data)
{
  const ReportServer *server = data;

  /* One that ends is removed meanwhile. */
  for (guint i = server->followers->len; i-- > 0;) {
    if (i < server->followers->len)
      write_news (server->followers->pdata[i]);
  }
  return G_SOURCE_CONTINUE;
}

/* @input: -1: all */
static void
begin_following (ReportServer * server, SoupServerMessage * message, gint input)
{
  const gchar *latest = soup_message_headers_get_one (soup_server_message_get_request_headers (message), "Last-Event-ID");
  SoupMessageHeaders *headers = soup_server_message_get_response_headers (message);
  SoupMessageBody *body = soup_server_message_get_response_body (message);
  Follower *follower = g_new0 (Follower, 1);

  follower->server = server;
  follower->message = g_object_ref (message);
  follower->connection = find_connection (server, message);
  follower->input = input;
  follower->versions = g_new (guint64, server->n);
  for (guint i = 0; i < server->n; i++)
    follower->versions[i] = G_MAXUINT64;
  if (latest != NULL && !g_ascii_string_to_signed (latest, 10, 0, G_MAXINT64, &follower->after, NULL))
    follower->after = 0;
  if (follower->connection != NULL)
    follower->connection->is_following = TRUE;
  soup_server_message_set_status (message, SOUP_STATUS_OK, NULL);
  set_headers (message, "no-store");
  soup_message_headers_set_content_type (headers, "text/event-stream", NULL);
  soup_message_headers_set_encoding (headers, SOUP_ENCODING_CHUNKED);
  soup_message_body_set_accumulate (body, FALSE);
  soup_message_body_append (body, SOUP_MEMORY_STATIC, "retry: 1000\n\n", 13);
  follower->is_writing = TRUE;
  follower->latest = g_get_monotonic_time ();
  g_signal_connect (message, "wrote-chunk", G_CALLBACK (see_written), follower);
  g_signal_connect (message, "finished", G_CALLBACK (see_end), follower);
  g_ptr_array_add (server->followers, follower);
}

/* ---- Requests --------------------------------------------------------------------------------- */

/* Whether the client knows the token, if there is one: it says so itself, or its cookie does. */
static gboolean
is_known (const ReportServer * server, SoupMessageHeaders * headers)
{
  const gchar *authorization = soup_message_headers_get_one (headers, "Authorization");

  if (!report_guard_has_token (server->guard))
    return TRUE;
  if (authorization != NULL && g_ascii_strncasecmp (authorization, "Bearer ", 7) == 0
      && report_guard_takes_token (server->guard, authorization + 7))
    return TRUE;
  return report_guard_takes_cookie (server->guard, soup_message_headers_get_list (headers, "Cookie"));
}

/* A browser cannot say the token in a header: the address /?token=… makes it a cookie. */
static gboolean
log_in (const ReportServer * server, SoupServerMessage * message, const gchar * path)
{
  const gchar *query = g_uri_get_query (soup_server_message_get_uri (message));
  g_autoptr (GHashTable) fields = query != NULL && g_str_equal (path, "/") ? soup_form_decode (query) : NULL;
  g_autofree gchar *cookie = NULL;

  if (fields == NULL || !report_guard_takes_token (server->guard, g_hash_table_lookup (fields, "token")))
    return FALSE;
  cookie = g_strdup_printf ("%s; Path=/; HttpOnly; SameSite=Strict", report_guard_cookie (server->guard));
  soup_message_headers_append (soup_server_message_get_response_headers (message), "Set-Cookie", cookie);
  answer_text (message, SOUP_STATUS_SEE_OTHER, "text/plain; charset=utf-8", "");
  soup_message_headers_replace (soup_server_message_get_response_headers (message), "Location", "/");
  return TRUE;
}

/* Before the body of a request is read: what has a status then gets no other answer. libsoup reads the body, however long it is. */
static void
check_request (SoupServer * soup, SoupServerMessage * message, const char *path, GHashTable * query, gpointer data)
{
  ReportServer *server = data;
  SoupMessageHeaders *headers = soup_server_message_get_request_headers (message);
  const gchar *host = soup_message_headers_get_one (headers, "Host");
  const Connection *connection = find_connection (server, message);

  soup_message_body_set_accumulate (soup_server_message_get_request_body (message), FALSE);
  if (connection != NULL && !report_guard_takes_request (server->guard, connection->address))
    refuse (message, TOO_MANY_REQUESTS, "too many requests");
  else if (!g_str_equal (soup_server_message_get_method (message), "GET"))
    refuse (message, SOUP_STATUS_METHOD_NOT_ALLOWED, "only GET");
  else if (soup_message_headers_get_encoding (headers) != SOUP_ENCODING_NONE && soup_message_headers_get_content_length (headers) != 0)
    refuse (message, SOUP_STATUS_REQUEST_ENTITY_TOO_LARGE, "a request has no body");
  else if (!report_guard_takes_host (server->guard, host))
    refuse (message, SOUP_STATUS_MISDIRECTED_REQUEST, "this machine does not have this name");
  else if (!report_guard_takes_origin (soup_message_headers_get_one (headers, "Origin"), host))
    refuse (message, SOUP_STATUS_FORBIDDEN, "pages of other sites may not ask");
  else if (!is_known (server, headers) && !log_in (server, message, path))
    refuse (message, SOUP_STATUS_UNAUTHORIZED, "the token is missing or wrong: open /?token=TOKEN, or send Authorization: Bearer TOKEN");
}

/* Reads "NUMBER" or "NUMBER/REST". Returns: FALSE: it is none of an input. @rest: (out): NULL: there is none */
static gboolean
read_input (const ReportServer * server, const gchar * text, guint * input, const gchar ** rest)
{
  g_auto (GStrv) parts = g_strsplit (text, "/", 2);
  guint64 number;

  if (parts[0] == NULL || !g_ascii_string_to_unsigned (parts[0], 10, 0, server->n - 1, &number, NULL))
    return FALSE;
  *input = (guint) number;
  *rest = parts[1] != NULL ? text + strlen (parts[0]) + 1 : NULL;
  return TRUE;
}

static gchar *
list_all (const ReportServer * server, const gchar * type, gchar * (*write) (ReportLive * live))
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "{\"type\":\"%s\",\"inputs\":[", type);
  for (guint i = 0; i < server->n; i++) {
    g_autofree gchar *one = write (server->inputs[i]);

    g_string_append_printf (text, "%s%s", i > 0 ? "," : "", one);
  }
  g_string_append (text, "]}\n");
  return g_string_free (text, FALSE);
}

static void
answer_metrics (ReportServer * server, SoupServerMessage * message)
{
  const gchar *accept = soup_message_headers_get_list (soup_server_message_get_request_headers (message), "Accept");
  const gboolean is_openmetrics = accept != NULL && strstr (accept, REPORT_OPENMETRICS_TYPE) != NULL;
  ReportMetricsOfProgram program = { server->connections->len, 0 };
  g_autofree gchar *text = NULL;
  struct rusage usage;

  if (getrusage (RUSAGE_SELF, &usage) == 0)
    program.processor_time = (gdouble) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + (gdouble) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / G_USEC_PER_SEC;
  text = report_metrics_write (server->inputs, server->n, &program, is_openmetrics);
  answer_text (message, SOUP_STATUS_OK, REPORT_METRICS_TYPE (is_openmetrics), text);
}

/* The files of the page, which the program has inside. There are no others. */
static const struct
{
  const gchar *path, *name, *type;
} files[] = {
  {"/", "wall.html", "text/html; charset=utf-8"},
  {"/wall.js", "wall.js", "text/javascript; charset=utf-8"},
  {"/input.js", "input.js", "text/javascript; charset=utf-8"},
  {"/live.js", "live.js", "text/javascript; charset=utf-8"},
  {"/live.css", "live.css", "text/css; charset=utf-8"},
};

static gboolean
answer_file (SoupServerMessage * message, const gchar * path)
{
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree gchar *name = g_strconcat (FOLDER, files[i].name, NULL);
    g_autoptr (GBytes) bytes = NULL;

    if (!g_str_equal (path, files[i].path))
      continue;
    bytes = g_resources_lookup_data (name, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    answer_bytes (message, files[i].type, bytes, "no-cache");
    return TRUE;
  }
  return FALSE;
}

/* What is of one input. Returns: FALSE: there is no such thing */
static gboolean
answer_input (ReportServer * server, SoupServerMessage * message, const gchar * path)
{
  g_autoptr (GBytes) bytes = NULL;
  const gchar *rest;
  guint64 number = 0;
  gint64 latest;
  guint input;

  if (g_str_has_prefix (path, "/input/") && read_input (server, path + 7, &input, &rest) && rest == NULL) {
    bytes = g_resources_lookup_data (FOLDER "input.html", G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    answer_bytes (message, "text/html; charset=utf-8", bytes, "no-cache");
    return TRUE;
  }
  if (g_str_has_prefix (path, "/events/") && read_input (server, path + 8, &input, &rest) && rest == NULL) {
    begin_following (server, message, (gint) input);
    return TRUE;
  }
  if (g_str_has_prefix (path, "/picture/") && read_input (server, path + 9, &input, &rest) && rest != NULL
      && g_ascii_string_to_unsigned (rest, 10, 0, G_MAXINT64, &number, NULL)) {
    bytes = report_live_picture (server->inputs[input], (gint64) number);
    answer_bytes (message, "image/jpeg", bytes, "private, max-age=600, immutable");
    return TRUE;
  }
  if (g_str_has_prefix (path, "/notice/") && read_input (server, path + 8, &input, &rest) && rest != NULL
      && g_ascii_string_to_unsigned (rest, 10, 1, G_MAXINT64, &number, NULL)) {
    bytes = report_live_picture_of (server->inputs[input], number);
    answer_bytes (message, "image/jpeg", bytes, "private, max-age=600");
    return TRUE;
  }
  if (g_str_has_prefix (path, "/pictures/") && read_input (server, path + 10, &input, &rest) && rest == NULL) {
    answer_json (message, report_live_list_pictures (server->inputs[input]));
    return TRUE;
  }
  if (!g_str_has_prefix (path, "/rows/") || !read_input (server, path + 6, &input, &rest) || rest == NULL)
    return FALSE;
  for (guint i = 0; i < REPORT_N_ROW_LENGTHS; i++) {
    if (g_str_equal (rest, report_row_lengths[i].name)) {
      answer_json (message, report_live_list_rows (server->inputs[input], i, 0, &latest));
      return TRUE;
    }
  }
  return FALSE;
}

static void
answer (SoupServer * soup, SoupServerMessage * message, const char *path, GHashTable * query, gpointer data)
{
  ReportServer *server = data;

  if (soup_server_message_get_status (message) != 0)
    return;
  if (g_str_equal (path, "/metrics"))
    answer_metrics (server, message);
  else if (g_str_equal (path, "/notices.json"))
    answer_json (message, list_all (server, "notices", report_live_list_notices));
  else if (g_str_equal (path, "/state.json"))
    answer_json (message, list_all (server, "state", report_live_describe));
  else if (g_str_equal (path, "/events"))
    begin_following (server, message, -1);
  else if (g_str_equal (path, "/favicon.ico"))
    soup_server_message_set_status (message, SOUP_STATUS_NO_CONTENT, NULL);
  else if (!answer_file (message, path) && !answer_input (server, message, path))
    answer_bytes (message, NULL, NULL, NULL);
}

/* ---- The server ------------------------------------------------------------------------------- */

/**
 * report_server_new:
 * @address: where it listens; the port may be 0: any
 * @guard: must live as long as the server
 * @inputs: (array length=n): the same
 *
 * Returns: (transfer full) (nullable): it answers; %NULL with an error if it cannot listen
 */
ReportServer *
report_server_new (GSocketAddress * address, ReportGuard * guard, ReportLive * const *inputs, guint n, GError ** error)
{
  g_autoptr (GSocketService) service = g_socket_service_new ();
  g_autoptr (GSocketAddress) effective = NULL;
  GInetSocketAddress *inet;
  ReportServer *server;

  /* If the system has no room for a connection, the client tries again after 1 s, and then after 3 s. */
  g_socket_listener_set_backlog (G_SOCKET_LISTENER (service), BACKLOG);
  if (!g_socket_listener_add_address (G_SOCKET_LISTENER (service), address, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL,
          &effective, error))
    return NULL;
  inet = G_INET_SOCKET_ADDRESS (effective);
  server = g_new0 (ReportServer, 1);
  server->guard = guard;
  server->inputs = inputs;
  server->n = n;
  server->cached = g_new0 (Cached, n);
  for (guint i = 0; i < n; i++)
    server->cached[i].version = G_MAXUINT64;
  server->port = g_inet_socket_address_get_port (inet);
  server->host = g_inet_address_to_string (g_inet_socket_address_get_address (inet));
  server->connections = g_ptr_array_new_with_free_func (connection_free);
  server->followers = g_ptr_array_new_with_free_func (follower_free);
  server->soup = soup_server_new (NULL, NULL);
  soup_server_add_early_handler (server->soup, NULL, check_request, server, NULL);
  soup_server_add_handler (server->soup, NULL, answer, server, NULL);
  g_signal_connect (server->soup, "request-read", G_CALLBACK (see_request), server);
  g_signal_connect (server->soup, "request-finished", G_CALLBACK (see_answer), server);
  server->service = g_steal_pointer (&service);
  g_signal_connect (server->service, "incoming", G_CALLBACK (take_connection), server);
  g_socket_service_start (server->service);
  server->step = g_timeout_add (STEP, write_to_all, server);
  server->sweep = g_timeout_add (SWEEP, sweep, server);
  return server;
}

/* Returns: (transfer full): "http://127.0.0.1:8080/" */
gchar *
report_server_address (const ReportServer * server)
{
  return g_strdup_printf (strchr (server->host, ':') != NULL ? "http://[%s]:%u/" : "http://%s:%u/", server->host, server->port);
}

void
report_server_free (ReportServer * server)
{
  g_source_remove (server->step);
  g_source_remove (server->sweep);
  g_signal_handlers_disconnect_by_data (server->service, server);
  g_socket_service_stop (server->service);
  g_socket_listener_close (G_SOCKET_LISTENER (server->service));
  g_object_unref (server->service);
  g_ptr_array_set_size (server->followers, 0);
  g_signal_handlers_disconnect_by_data (server->soup, server);
  soup_server_disconnect (server->soup);
  g_object_unref (server->soup);
  /* What libsoup has not freed yet names the server: it stays, and the program ends. */
}
