/* OpenMetrics; see metrics.h.
 *
 * A family is a row of the table with a function that writes its samples. Series of streams that are gone are not written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "live/metrics.h"

#include <math.h>

/* What a sample belongs to. */
typedef struct
{
  GString *text;
  const gchar *name;            /* of the metric, with its ending */
  gchar *labels;                /* `input="…"`, and what follows */
} Sample;

/* Escapes a value of a label. Characters that are none become U+FFFD. */
static gchar *
escape (const gchar * value)
{
  g_autofree gchar *valid = g_utf8_make_valid (value, -1);
  GString *text = g_string_new (NULL);

  for (const gchar * p = valid; *p != '\0'; p++) {
    if (*p == '\\' || *p == '"')
      g_string_append_c (text, '\\');
    if (*p == '\n')
      g_string_append (text, "\\n");
    else
      g_string_append_c (text, *p);
  }
  return g_string_free (text, FALSE);
}

/* @more: (nullable): labels behind those of the sample */
static void
add (const Sample * sample, const gchar * more, gdouble value)
{
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (sample->text, "%s{%s%s%s} %s\n", sample->name, sample->labels, more != NULL ? "," : "",
      more != NULL ? more : "", isnan (value) ? "NaN" : isinf (value) ? (value > 0 ? "+Inf" : "-Inf") :
      g_ascii_dtostr (number, sizeof number, value));
}

/* Leaves out what was not measured. */
static void
add_figure (const Sample * sample, const gchar * more, gdouble value)
{
  if (!isnan (value))
    add (sample, more, value);
}

/* ---- Of an input ------------------------------------------------------------------------------ */

static void
write_state (const Sample * sample, const ReportLiveNumbers * numbers)
{
  for (guint i = 0; i < REPORT_N_LIVE_STATES; i++) {
    g_autofree gchar *label = g_strdup_printf ("cudahisto_input_state=\"%s\"", report_live_state_names[i]);

    add (sample, label, numbers->state == i);
  }
}

static void
write_connections (const Sample * sample, const ReportLiveNumbers * numbers)
{
  add (sample, NULL, (gdouble) numbers->n_connections);
}

static void
write_latest (const Sample * sample, const ReportLiveNumbers * numbers)
{
  if (numbers->latest != 0)
    add (sample, NULL, (gdouble) numbers->latest / G_USEC_PER_SEC);
}

static void
write_open (const Sample * sample, const ReportLiveNumbers * numbers)
{
  for (guint i = 0; i < REPORT_N_NOTICE_KINDS; i++) {
    g_autofree gchar *label = g_strdup_printf ("kind=\"%s\"", report_notice_kind_names[i]);

    add (sample, label, numbers->is_open[i]);
  }
}

static void
write_begun (const Sample * sample, const ReportLiveNumbers * numbers)
{
  for (guint i = 0; i < REPORT_N_NOTICE_KINDS; i++) {
    g_autofree gchar *label = g_strdup_printf ("kind=\"%s\"", report_notice_kind_names[i]);

    add (sample, label, (gdouble) numbers->n_begun[i]);
  }
}

/* ---- Of a stream ------------------------------------------------------------------------------ */

static void
write_luma (const Sample * sample, const ReportLiveStream * stream)
{
  add_figure (sample, "figure=\"min\"", stream->luma_least);
  add_figure (sample, "figure=\"mean\"", stream->luma_mean);
  add_figure (sample, "figure=\"max\"", stream->luma_most);
}

static void
write_channels (const Sample * sample, const gdouble * values, guint n)
{
  for (guint c = 0; c < n; c++) {
    g_autofree gchar *label = g_strdup_printf ("channel=\"ch%u\"", c);

    add_figure (sample, label, values[c]);
  }
}

static void
write_peaks (const Sample * sample, const ReportLiveStream * stream)
{
  write_channels (sample, stream->peaks, stream->n_channels);
}

static void
write_rms (const Sample * sample, const ReportLiveStream * stream)
{
  write_channels (sample, stream->rms, stream->n_channels);
}

static void
write_loudness (const Sample * sample, const ReportLiveStream * stream)
{
  if (!stream->is_audio)
    return;
  add_figure (sample, "span=\"momentary\"", stream->momentary);
  add_figure (sample, "span=\"short-term\"", stream->short_term);
  add_figure (sample, "span=\"integrated\"", stream->integrated);
}

static void
write_range (const Sample * sample, const ReportLiveStream * stream)
{
  if (stream->is_audio)
    add_figure (sample, NULL, stream->range);
}

static void
write_frames (const Sample * sample, const ReportLiveStream * stream)
{
  add (sample, NULL, (gdouble) stream->n_results);
}

static void
write_late (const Sample * sample, const ReportLiveStream * stream)
{
  add (sample, NULL, (gdouble) stream->counts.n_late);
}

static void
write_gaps (const Sample * sample, const ReportLiveStream * stream)
{
  add (sample, NULL, (gdouble) stream->n_gaps);
}

static void
write_decoder (const Sample * sample, const ReportLiveStream * stream)
{
  add (sample, NULL, (gdouble) stream->counts.decoder_time / 1e9);
}

static void
write_element (const Sample * sample, const ReportLiveStream * stream)
{
  add (sample, NULL, (gdouble) stream->counts.element_time / 1e9);
}

static void
write_device (const Sample * sample, const ReportLiveStream * stream)
{
  add (sample, NULL, (gdouble) stream->counts.device_time / 1e9);
}

/* ---- Families --------------------------------------------------------------------------------- */

typedef struct
{
  const gchar *name, *type, *unit, *help;       /* unit: empty: none */
  void (*of_input) (const Sample * sample, const ReportLiveNumbers * numbers);  /* NULL: it is of a stream */
  void (*of_stream) (const Sample * sample, const ReportLiveStream * stream);
} Family;

static const Family families[] = {
  {"cudahisto_input_state", "stateset", "", "How the input is", write_state, NULL},
  {"cudahisto_input_connections", "counter", "", "Connections that were tried", write_connections, NULL},
  {"cudahisto_input_latest_result_timestamp_seconds", "gauge", "seconds", "When the latest result was: seconds since 1970", write_latest, NULL},
  {"cudahisto_notice_open", "gauge", "", "1 while a notice of the kind goes on", write_open, NULL},
  {"cudahisto_notices", "counter", "", "Notices that have begun", write_begun, NULL},
  {"cudahisto_video_level_percent", "gauge", "percent", "Samples of the first component, in percent of the greatest code", NULL, write_luma},
  {"cudahisto_audio_peak_dbfs", "gauge", "dbfs", "Sample peak of a channel in the latest 0.1 s", NULL, write_peaks},
  {"cudahisto_audio_rms_dbfs", "gauge", "dbfs", "RMS of a channel in the latest 0.1 s", NULL, write_rms},
  {"cudahisto_loudness_lufs", "gauge", "lufs", "Loudness; integrated: since the connection began", NULL, write_loudness},
  {"cudahisto_loudness_range_lu", "gauge", "lu", "Loudness range since the connection began", NULL, write_range},
  {"cudahisto_results", "counter", "", "Frames, or windows of sound of 0.1 s, since the connection began", NULL, write_frames},
  {"cudahisto_late_buffers", "counter", "", "Buffers that were measured more than a frame too late", NULL, write_late},
  {"cudahisto_gaps", "counter", "", "Places where frames or samples are missing", NULL, write_gaps},
  {"cudahisto_decoder_seconds", "counter", "seconds", "Processor time of the thread that decodes", NULL, write_decoder},
  {"cudahisto_element_seconds", "counter", "seconds", "Processor time of cudahisto", NULL, write_element},
  {"cudahisto_device_seconds", "counter", "seconds", "Time of the GPU for cudahisto", NULL, write_device},
};

/* @name: of its samples. The earlier form knows no units and no sets of states, and names a counter as its samples. */
static void
begin_family (GString * text, const Family * family, const gchar * name, gboolean is_openmetrics)
{
  if (!is_openmetrics) {
    g_string_append_printf (text, "# HELP %s %s\n# TYPE %s %s\n", name, family->help, name,
        g_str_equal (family->type, "stateset") ? "gauge" : family->type);
    return;
  }
  g_string_append_printf (text, "# TYPE %s %s\n", family->name, family->type);
  if (*family->unit != '\0')
    g_string_append_printf (text, "# UNIT %s %s\n", family->name, family->unit);
  g_string_append_printf (text, "# HELP %s %s\n", family->name, family->help);
}

/* Returns: (transfer full): the name of a family's samples */
static gchar *
name_samples (const Family * family)
{
  return g_strconcat (family->name, g_str_equal (family->type, "counter") ? "_total" : "", NULL);
}

/* Names may be equal: the number tells inputs apart. */
static void
write_family (GString * text, const Family * family, ReportLive * const *inputs, ReportLiveNumbers * const *numbers, guint n,
    gboolean is_openmetrics)
{
  g_autofree gchar *name = name_samples (family);

  begin_family (text, family, name, is_openmetrics);
  for (guint i = 0; i < n; i++) {
    g_autofree gchar *input = escape (report_live_name (inputs[i]));
    Sample sample = { text, name, NULL };

    if (family->of_input != NULL) {
      sample.labels = g_strdup_printf ("input=\"%s\",number=\"%u\"", input, i);
      family->of_input (&sample, numbers[i]);
      g_free (sample.labels);
      continue;
    }
    /* An input that does not run has no figures. */
    for (guint s = 0; s < numbers[i]->n_streams && numbers[i]->state == REPORT_LIVE_RUNNING; s++) {
      const ReportLiveStream *stream = &numbers[i]->streams[s];
      g_autofree gchar *title = escape (stream->title != NULL ? stream->title : "");

      sample.labels = g_strdup_printf ("input=\"%s\",number=\"%u\",stream=\"%s\"", input, i, title);
      family->of_stream (&sample, stream);
      g_free (sample.labels);
    }
  }
}

/* A family with one sample and no labels. */
static void
write_single (GString * text, const Family * family, gdouble value, gboolean is_openmetrics)
{
  g_autofree gchar *name = name_samples (family);
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  begin_family (text, family, name, is_openmetrics);
  g_string_append_printf (text, "%s %s\n", name, g_ascii_dtostr (number, sizeof number, value));
}

/* Returns: (transfer full): of REPORT_METRICS_TYPE() */
gchar *
report_metrics_write (ReportLive * const *inputs, guint n, const ReportMetricsOfProgram * program, gboolean is_openmetrics)
{
  static const Family clients = {"cudahisto_clients", "gauge", "", "Connections to the pages", NULL, NULL};
  static const Family processor = {"cudahisto_processor_seconds", "counter", "seconds", "Processor time of the program", NULL, NULL};

  GString *text = g_string_new (NULL);
  g_autofree ReportLiveNumbers **numbers = g_new (ReportLiveNumbers *, n);

  for (guint i = 0; i < n; i++)
    numbers[i] = report_live_read (inputs[i]);
  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    write_family (text, &families[i], inputs, numbers, n, is_openmetrics);
  for (guint i = 0; i < n; i++)
    report_live_numbers_free (numbers[i]);
  write_single (text, &clients, program->n_clients, is_openmetrics);
  write_single (text, &processor, program->processor_time, is_openmetrics);
  if (is_openmetrics)
    g_string_append (text, "# EOF\n");
  return g_string_free (text, FALSE);
}
