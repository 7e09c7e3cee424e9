/* The names of the result's fields. They are a contract with applications (docs/result.md):
 * fields are added, never removed or renamed. `schema` grows if the meaning of a field
 * changes.
 *
 * The figures of a component are listed in measures/measures.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_FIELDS_H
#define HISTO_FIELDS_H

/* Name of the custom meta, of its structure and of the element message. */
#define HISTO_RESULT_NAME "cudahisto"

/* X (identifier, name) of each field at the top of a result, and of a component's
 * histogram. */
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
  X (timestamp, "timestamp") \
  X (stream_time, "stream-time") \
  X (running_time, "running-time") \
  X (duration, "duration")

/* HISTO_FIELD_schema and so on. */
enum
{
#define HISTO_RESULT_FIELD(identifier, name) HISTO_FIELD_##identifier,
  HISTO_RESULT_FIELDS (HISTO_RESULT_FIELD)
#undef HISTO_RESULT_FIELD
  HISTO_N_FIELDS
};

#define HISTO_MEDIA_VIDEO "video"
#define HISTO_MEDIA_AUDIO "audio"

#endif /* HISTO_FIELDS_H */
