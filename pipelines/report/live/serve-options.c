/* What --serve is told; see serve.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "live/serve.h"

#include <string.h>

#include "base/names.h"

#define DEFAULT_ADDRESS "127.0.0.1"

/* Takes "[ADDRESS:]PORT" apart.
 *
 * @name: (out) (transfer full): the address or name, without brackets
 * Returns: FALSE with an error */
gboolean
report_serve_parse (const gchar * text, gchar ** name, guint16 * port, GError ** error)
{
  const gchar *colon = strrchr (text, ':'), *digits = colon != NULL ? colon + 1 : text;
  guint64 number;

  *name = NULL;
  if (!g_ascii_string_to_unsigned (digits, 10, 0, G_MAXUINT16, &number, NULL))
    return report_fail (error, "--serve needs [ADDRESS:]PORT, such as 8080 or 192.0.2.7:8080, and not \"%s\"", text);
  *port = (guint16) number;
  if (colon == NULL)
    *name = g_strdup (DEFAULT_ADDRESS);
  else if (text[0] == '[' && colon > text + 1 && colon[-1] == ']')
    *name = g_strndup (text + 1, (gsize) (colon - text) - 2);
  else
    *name = g_strndup (text, (gsize) (colon - text));
  if (**name != '\0' && (text[0] == '[' || strchr (*name, ':') == NULL))
    return TRUE;
  g_clear_pointer (name, g_free);
  return report_fail (error, "--serve needs [ADDRESS:]PORT, and an address of IPv6 in brackets, not \"%s\"", text);
}

/* What can be found wrong before anything begins. */
gboolean
report_serve_check (const ReportServeOptions * options, GError ** error)
{
  g_autofree gchar *name = NULL;
  guint16 port;

  if (options->address == NULL)
    return (options->token == NULL && !options->is_open) || report_fail (error, "--serve-token and --serve-open need --serve");
  if (options->token != NULL && options->is_open)
    return report_fail (error, "--serve-token and --serve-open contradict each other");
  return report_serve_parse (options->address, &name, &port, error);
}
