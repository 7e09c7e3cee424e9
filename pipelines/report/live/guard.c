/* Who may read the pages; see guard.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "live/guard.h"

#include <gio/gio.h>
#include <string.h>

#include "base/names.h"

/* A token has at least so many characters, and its file at most so many bytes. */
#define LEAST_TOKEN 16
#define MOST_TOKEN 4096
#define COOKIE "cudahisto-live"
/* Of one address: requests in a second, and how many may come at once. A wall asks for a picture of each input each second. So many
 * more are refused with an answer, and later ones without. */
#define RATE 200
#define BURST 400
#define MOST_REFUSED 50
/* Addresses that are known at a time. */
#define MOST_ADDRESSES 4096

typedef struct
{
  gdouble left;                 /* requests; below 0: so many too many were made */
  gint64 time;                  /* monotonic, in µs, at which it was so */
} Bucket;

struct _ReportGuard
{
  gchar *name;                  /* (nullable): under which it listens; an address needs none */
  gchar *token;                 /* (nullable): SHA-256 of it */
  gchar *secret;                /* (nullable): what the cookie holds; not the token itself */
  gchar *cookie;                /* (nullable): "cudahisto-live=…" */
  GHashTable *buckets;          /* of an address, as text: Bucket */
};

/**
 * report_guard_new:
 * @name: (nullable): a name by which clients may call the machine, beside its addresses and "localhost"
 * @token: (nullable): what clients must know; %NULL: nothing
 */
ReportGuard *
report_guard_new (const gchar * name, const gchar * token)
{
  ReportGuard *guard = g_new0 (ReportGuard, 1);

  guard->name = g_strdup (name);
  if (token != NULL) {
    g_autofree gchar *salted = g_strconcat (COOKIE, " ", token, NULL);

    guard->token = g_compute_checksum_for_string (G_CHECKSUM_SHA256, token, -1);
    guard->secret = g_compute_checksum_for_string (G_CHECKSUM_SHA256, salted, -1);
    guard->cookie = g_strconcat (COOKIE "=", guard->secret, NULL);
  }
  guard->buckets = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return guard;
}

void
report_guard_free (ReportGuard * guard)
{
  g_free (guard->name);
  g_free (guard->token);
  g_free (guard->secret);
  g_free (guard->cookie);
  g_hash_table_unref (guard->buckets);
  g_free (guard);
}

/**
 * report_guard_read_token:
 *
 * Returns: (transfer full) (nullable): the first line of the file; %NULL with an error if it is no good token
 */
gchar *
report_guard_read_token (const gchar * path, GError ** error)
{
  g_autofree gchar *text = NULL;
  gsize n;

  if (!g_file_get_contents (path, &text, &n, error))
    return NULL;
  text[strcspn (text, "\r\n")] = '\0';
  g_strstrip (text);
  if (n > MOST_TOKEN || strlen (text) < LEAST_TOKEN || !g_str_is_ascii (text)) {
    report_fail (error, "--serve-token needs a file whose first line has %d characters of ASCII or more", LEAST_TOKEN);
    return NULL;
  }
  return g_steal_pointer (&text);
}

/* Returns: (transfer full) (nullable): the name or address in "NAME:PORT" or "[ADDRESS]:PORT"; NULL: it is none */
static gchar *
take_name (const gchar * host)
{
  g_autoptr (GUri) uri = NULL;
  g_autofree gchar *text = NULL;

  if (strpbrk (host, "/?#@\\") != NULL)
    return NULL;
  text = g_strconcat ("http://", host, "/", NULL);
  uri = g_uri_parse (text, G_URI_FLAGS_NONE, NULL);
  return uri != NULL ? g_strdup (g_uri_get_host (uri)) : NULL;
}

/**
 * report_guard_takes_host:
 * @host: (nullable): the header
 *
 * A site whose name is made to lead to this machine says its own name here. An address leads nowhere else.
 */
gboolean
report_guard_takes_host (const ReportGuard * guard, const gchar * host)
{
  g_autofree gchar *name = host != NULL ? take_name (host) : NULL;

  return name != NULL && (g_hostname_is_ip_address (name) || g_ascii_strcasecmp (name, "localhost") == 0
      || (guard->name != NULL && g_ascii_strcasecmp (name, guard->name) == 0));
}

/* @origin: (nullable): the header; only a page of this very server may name one. @host: was taken */
gboolean
report_guard_takes_origin (const gchar * origin, const gchar * host)
{
  const gchar *rest;

  if (origin == NULL)
    return TRUE;
  rest = strstr (origin, "://");
  return rest != NULL && (g_ascii_strncasecmp (origin, "http://", 7) == 0 || g_ascii_strncasecmp (origin, "https://", 8) == 0)
      && g_ascii_strcasecmp (rest + 3, host) == 0;
}

gboolean
report_guard_has_token (const ReportGuard * guard)
{
  return guard->token != NULL;
}

/* Takes the same time wherever the texts differ. Both have the length of a checksum, or one is wrong. */
static gboolean
is_same (const gchar * a, const gchar * b)
{
  const gsize n = strlen (a);
  guint different = 0;

  if (strlen (b) != n)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    different |= (guint) (guchar) a[i] ^ (guint) (guchar) b[i];
  return different == 0;
}

/* @given: (nullable): a token. Checksums are compared: the time says nothing of the token's characters. */
gboolean
report_guard_takes_token (const ReportGuard * guard, const gchar * given)
{
  g_autofree gchar *sum = given != NULL ? g_compute_checksum_for_string (G_CHECKSUM_SHA256, given, -1) : NULL;

  return sum != NULL && guard->token != NULL && is_same (sum, guard->token);
}

/* @cookies: (nullable): the header */
gboolean
report_guard_takes_cookie (const ReportGuard * guard, const gchar * cookies)
{
  g_auto (GStrv) parts = cookies != NULL ? g_strsplit (cookies, ";", 64) : NULL;
  gboolean takes = FALSE;

  for (gchar ** part = parts; guard->secret != NULL && part != NULL && *part != NULL; part++) {
    g_strstrip (*part);
    if (g_str_has_prefix (*part, COOKIE "="))
      takes = takes || is_same (*part + strlen (COOKIE "="), guard->secret);
  }
  return takes;
}

/* Returns: (nullable): what a browser that knows the token keeps: NAME=VALUE */
const gchar *
report_guard_cookie (const ReportGuard * guard)
{
  return guard->cookie;
}

/* Whether an address has made no request for so long that it may forget what was. */
static gboolean
is_full (gpointer address, gpointer bucket, gpointer now)
{
  const Bucket *one = bucket;

  return one->left + (gdouble) (*(const gint64 *) now - one->time) * RATE / G_USEC_PER_SEC >= BURST;
}

/**
 * report_guard_takes_connection:
 * @address: of the client, which makes one request in each connection
 * @now: monotonic time in µs
 *
 * Returns: FALSE: the address makes so many that none of them is worth an answer
 */
gboolean
report_guard_takes_connection (ReportGuard * guard, const gchar * address, gint64 now)
{
  Bucket *bucket = g_hash_table_lookup (guard->buckets, address);

  if (bucket == NULL) {
    if (g_hash_table_size (guard->buckets) >= MOST_ADDRESSES)
      g_hash_table_foreach_remove (guard->buckets, is_full, &now);
    if (g_hash_table_size (guard->buckets) >= MOST_ADDRESSES)
      return FALSE;
    bucket = g_new (Bucket, 1);
    *bucket = (Bucket) { BURST, now };
    g_hash_table_insert (guard->buckets, g_strdup (address), bucket);
  }
  bucket->left = MIN (BURST, bucket->left + (gdouble) (now - bucket->time) * RATE / G_USEC_PER_SEC);
  bucket->time = now;
  if (bucket->left < -MOST_REFUSED)
    return FALSE;
  bucket->left--;
  return TRUE;
}

/* @address: of a connection that was taken. Returns: FALSE: the address makes too many requests */
gboolean
report_guard_takes_request (const ReportGuard * guard, const gchar * address)
{
  const Bucket *bucket = g_hash_table_lookup (guard->buckets, address);

  return bucket != NULL && bucket->left >= 0;
}
