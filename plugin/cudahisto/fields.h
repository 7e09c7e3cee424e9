/* The names of the result's fields. They are a contract with applications (docs/result.md):
 * fields are added, never removed or renamed. `schema` grows if the meaning of a field
 * changes.
 *
 * measures.h lists the names of groups, components and figures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_FIELDS_H
#define HISTO_FIELDS_H

/* Name of the custom meta, of its structure and of the element message. With a result-name, those of the meta are
 * this, a hyphen and the result-name. */
#define HISTO_RESULT_NAME "cudahisto"
#define HISTO_LONGEST_RESULT_NAME 32
/* Names of the messages about windows and alerts. */
#define HISTO_WINDOW_NAME "cudahisto-window"
#define HISTO_ALERT_NAME "cudahisto-alert"
/* Name of the structures in the array of the regions. */
#define HISTO_REGION_NAME "region"

/* X (identifier, name) of the fields that no table of figures has: those at the top of a result,
 * of a component's histogram, of groups and regions, and of the messages. */
#define HISTO_RESULT_FIELDS(X) \
  X (schema, "schema") \
  X (media, "media") \
  X (format, "format") \
  X (width, "width") \
  X (height, "height") \
  X (colorimetry, "colorimetry") \
  X (rate, "rate") \
  X (channels, "channels") \
  X (samples, "samples") \
  X (backend, "backend") \
  X (components, "components") \
  X (histogram, "histogram") \
  X (edges, "edges") \
  X (bits_used, "bits-used") \
  X (regions, "regions") \
  X (alerts, "alerts") \
  X (name, "name") \
  X (x, "x") \
  X (y, "y") \
  X (timestamp, "timestamp") \
  X (stream_time, "stream-time") \
  X (running_time, "running-time") \
  X (duration, "duration") \
  X (buffers, "buffers") \
  X (type, "type") \
  X (state, "state") \
  X (component, "component") \
  X (channel, "channel") \
  X (region, "region") \
  X (start, "start") \
  X (end, "end") \
  X (value, "value") \
  X (threshold, "threshold") \
  X (pairs, "pairs") \
  X (pair, "pair") \
  X (first, "first") \
  X (second, "second") \
  X (zones, "zones") \
  X (zone, "zone") \
  X (result_name, "result-name") \
  X (rule, "rule") \
  X (value_time, "value-time") \
  X (columns, "columns") \
  X (rows, "rows") \
  X (depth, "depth") \
  X (mask, "mask") \
  X (mask_pixels, "mask-pixels")

/* HISTO_FIELD_schema and so on. */
enum
{
#define HISTO_RESULT_FIELD(identifier, name) HISTO_FIELD_##identifier,
  HISTO_RESULT_FIELDS (HISTO_RESULT_FIELD)
#undef HISTO_RESULT_FIELD
  HISTO_N_FIELDS
};

/* The names. */
extern const char *const histo_field_names[HISTO_N_FIELDS];

#define HISTO_MEDIA_VIDEO "video"
#define HISTO_MEDIA_AUDIO "audio"
#define HISTO_STATE_BEGIN "begin"
#define HISTO_STATE_END "end"

#endif /* HISTO_FIELDS_H */
