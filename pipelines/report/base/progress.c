/* The progress line on a terminal; see progress.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/stream.h"

/* Between two lines, in µs. */
#define PAUSE (G_USEC_PER_SEC / 5)
#define BAR_WIDTH 20
/* Characters of the name, so that the rest fits on a terminal of 80 columns. */
#define MOST_NAME 20

struct _ReportProgress
{
  gboolean is_terminal;         /* else nothing is shown */
  gboolean is_shown;
  gchar *name;
  guint64 duration;             /* ns; GST_CLOCK_TIME_NONE: unknown */
  gint64 start, latest;         /* monotonic time in µs */
};

/* @is_quiet: show nothing, also on a terminal */
ReportProgress *
report_progress_new (gboolean is_quiet)
{
  ReportProgress *progress = g_new0 (ReportProgress, 1);
  const gchar *terminal = g_getenv ("TERM");

  progress->is_terminal = !is_quiet && isatty (STDERR_FILENO)
      && g_strcmp0 (terminal, "dumb") != 0;
  return progress;
}

void
report_progress_free (ReportProgress * progress)
{
  report_progress_clear (progress);
  g_free (progress->name);
  g_free (progress);
}

/* @duration: in ns; GST_CLOCK_TIME_NONE if unknown */
void
report_progress_begin (ReportProgress * progress, const gchar * name,
    guint64 duration)
{
  g_autofree gchar *base = g_path_get_basename (name);

  g_free (progress->name);
  progress->name = g_utf8_substring (base, 0, MIN (MOST_NAME,
          g_utf8_strlen (base, -1)));
  progress->duration = duration;
  progress->start = progress->latest = g_get_monotonic_time ();
}

/* @text: cut to the width of the terminal */
static void
show (ReportProgress * progress, const gchar * text)
{
  struct winsize size;
  glong width = 80;
  g_autofree gchar *cut = NULL;

  if (ioctl (STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    width = size.ws_col;
  cut = g_utf8_substring (text, 0, MIN (width - 1, g_utf8_strlen (text, -1)));
  g_printerr ("\r%s\033[K", cut);
  progress->is_shown = TRUE;
}

/* Whether a new line is due. */
static gboolean
is_due (ReportProgress * progress)
{
  const gint64 now = g_get_monotonic_time ();

  if (!progress->is_terminal || now - progress->latest < PAUSE)
    return FALSE;
  progress->latest = now;
  return TRUE;
}

static void
append_bar (GString * text, gdouble share)
{
  const gint full = (gint) (share * BAR_WIDTH);

  g_string_append (text, " [");
  for (gint i = 0; i < BAR_WIDTH; i++)
    g_string_append_c (text, i < full ? '#' : '.');
  g_string_append_printf (text, "] %3.0f %%", 100 * share);
}

/**
 * report_progress_show:
 * @position: the end of what is measured, in ns
 * @n_frames: of video; 0: there is none
 */
void
report_progress_show (ReportProgress * progress, guint64 position,
    guint64 n_frames)
{
  const gdouble seconds = (gdouble) (g_get_monotonic_time ()
      - progress->start) / G_USEC_PER_SEC;
  g_autoptr (GString) text = NULL;

  if (!is_due (progress) || !GST_CLOCK_TIME_IS_VALID (position))
    return;
  text = g_string_new (progress->name);
  if (GST_CLOCK_TIME_IS_VALID (progress->duration))
    append_bar (text, MIN ((gdouble) position / progress->duration, 1));
  if (n_frames > 0)
    g_string_append_printf (text, "  %.0f frames/s", n_frames / seconds);
  g_string_append_printf (text, "  %.1f x",
      (gdouble) position / GST_SECOND / seconds);
  if (GST_CLOCK_TIME_IS_VALID (progress->duration) && position > 0
      && position < progress->duration) {
    const gdouble left = seconds * (progress->duration - position) / position;

    g_string_append_printf (text, "  %d:%02d left", (gint) (left / 60),
        (gint) left % 60);
  }
  show (progress, text->str);
}

/* The line about many inputs. */
void
report_progress_show_count (ReportProgress * progress, guint n_done,
    guint n_all)
{
  g_autoptr (GString) text = NULL;

  if (!is_due (progress))
    return;
  text = g_string_new (NULL);
  g_string_printf (text, "%u of %u inputs", n_done, n_all);
  append_bar (text, n_all > 0 ? (gdouble) n_done / n_all : 1);
  show (progress, text->str);
}

void
report_progress_clear (ReportProgress * progress)
{
  if (progress->is_shown)
    g_printerr ("\r\033[K");
  progress->is_shown = FALSE;
}

/**
 * report_complain:
 * @progress: (nullable): whose line is cleared before
 * @name: (nullable): of the input
 *
 * Prints one line on the standard error. It may have any text.
 */
void
report_complain (ReportProgress * progress, const gchar * name,
    const gchar * text)
{
  g_autofree gchar *line = name != NULL ? g_strdup_printf ("%s: %s", name, text) :
      g_strdup (text);
  gchar *valid =
      g_utf8_make_valid (g_strchomp (g_strdelimit (line, "\r\n", ' ')), -1);
  g_autofree gchar *clean = report_clean_text (valid);

  if (progress != NULL)
    report_progress_clear (progress);
  g_printerr ("cudahisto-report: %s\n", clean);
}
