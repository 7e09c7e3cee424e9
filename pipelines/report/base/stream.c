/* What a stream is; see stream.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/stream.h"

static gint
compare_texts (gconstpointer a, gconstpointer b, gpointer data)
{
  return g_strcmp0 (a, b);
}

/* Returns: (transfer full): a table whose keys are texts that come from files, and which it frees. In a hash table such
 * texts may all have one place. */
GTree *
report_texts_new (void)
{
  return g_tree_new_full (compare_texts, NULL, g_free, NULL);
}

/* Whether a character can break a line, change a terminal, or change the order in which other characters
 * are shown. */
static gboolean
is_harmful (gunichar c)
{
  switch (g_unichar_type (c)) {
    case G_UNICODE_CONTROL:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
      return TRUE;
    case G_UNICODE_FORMAT:
      /* Persian, Indian scripts and emoji need the two joiners; the Arabic signs are visible. */
      return c != 0x200c && c != 0x200d && !(c >= 0x600 && c <= 0x605)
          && c != 0x6dd;
    default:
      /* XML has none of these two. */
      return c == 0xfffe || c == 0xffff;
  }
}

/* Appends a UTF-8 text from outside. A question mark replaces each character that would break the line or change a
 * terminal. */
void
report_append_clean (GString * to, const gchar * text)
{
  for (const gchar * p = text; *p != '\0'; p = g_utf8_next_char (p)) {
    const gunichar c = g_utf8_get_char (p);

    g_string_append_unichar (to, is_harmful (c) ? '?' : c);
  }
}

/**
 * report_clean_text:
 * @text: (transfer full): from a file or a user; UTF-8
 *
 * Returns: (transfer full): the text with a question mark in place of each harmful character
 */
gchar *
report_clean_text (gchar * text)
{
  GString *clean = g_string_new (NULL);

  report_append_clean (clean, text);
  g_free (text);
  return g_string_free (clean, FALSE);
}

/* Frees what the stream holds, but not the stream itself. */
void
report_stream_clear (ReportStream * stream)
{
  g_free (stream->title);
  g_free (stream->language);
  g_free (stream->name);
  g_free (stream->format);
  g_free (stream->colorimetry);
  g_free (stream->codec);
  g_free (stream->container);
  g_free (stream->programme);
  g_free (stream->programme_source);
  g_free (stream->decoder);
  g_strfreev (stream->channel_names);
}

/* Returns: (transfer full): to be freed with report_stream_free() */
ReportStream *
report_stream_copy (const ReportStream * stream)
{
  ReportStream *copy = g_new (ReportStream, 1);

  *copy = *stream;
  copy->title = g_strdup (stream->title);
  copy->language = g_strdup (stream->language);
  copy->name = g_strdup (stream->name);
  copy->format = g_strdup (stream->format);
  copy->colorimetry = g_strdup (stream->colorimetry);
  copy->codec = g_strdup (stream->codec);
  copy->container = g_strdup (stream->container);
  copy->programme = g_strdup (stream->programme);
  copy->programme_source = g_strdup (stream->programme_source);
  copy->decoder = g_strdup (stream->decoder);
  copy->channel_names = g_strdupv (stream->channel_names);
  return copy;
}

void
report_stream_free (ReportStream * stream)
{
  report_stream_clear (stream);
  g_free (stream);
}
