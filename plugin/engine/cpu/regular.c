/* Regular pictures: how they are made.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/regular.h"

#include "media/load.h"

/* Rows of a copy begin at multiples of so many bytes. */
#define ROW_ALIGNMENT 64

/* Words that split_tens() makes at a time. Whole periods of all formats. */
#define TENS 384

/* ---- The format -------------------------------------------------------------------------- */

/* The bytes of a regular sample. */
static guint
sample_bytes (const HistoCpuRegular * regular)
{
  return regular->is_wide ? 2 : 1;
}

/* With fewer numbers for each counter they are counted one by one, because copies of the counters
 * would have to be added up. */
#define LEAST_NUMBERS_PER_COUNTER 4

/**
 * histo_cpu_plane_init:
 * @plane: (out): without data and stride
 * @component: whose counters they have
 *
 * Describes rows of @length regular numbers to the loops that count (count.h).
 */
void
histo_cpu_plane_init (HistoPlane * plane, const HistoComponent * component,
    gboolean is_wide, guint length, guint rows)
{
  const guint bytes = is_wide ? 2 : 1;

  memset (plane, 0, sizeof *plane);
  plane->rows = rows;
  plane->periods = plane->full_periods = length;
  plane->period_bytes = bytes;
  plane->big_endian = G_BYTE_ORDER == G_BIG_ENDIAN;
  plane->n_samples = plane->n_words = 1;
  plane->first_bin = component->first_bin;
  plane->n_bins = component->n_values;
  plane->samples[0].bytes = bytes;
  plane->samples[0].mask = (1u << 8 * bytes) - 1;
  plane->samples[0].first_bin = component->first_bin;
  plane->samples[0].count = length;
  plane->kind = HISTO_PLANE_PACKED;
  if (!is_wide && component->depth == 8)
    plane->kind = HISTO_PLANE_BYTES;
  else if (is_wide && (guint64) rows * length >=
      (guint64) LEAST_NUMBERS_PER_COUNTER * component->n_values)
    plane->kind = HISTO_PLANE_WORDS;
}

/* Whether the plane's samples are the three fields of ten bits of 32-bit words. */
static gboolean
has_tens (const HistoPlane * plane)
{
  for (guint i = 0; i < plane->n_samples; i++) {
    const HistoSample *sample = &plane->samples[i];

    if (sample->bytes != 4 || sample->shift % 10 != 0 || sample->mask != 0x3ff)
      return FALSE;
  }
  return !plane->big_endian && plane->period_bytes % 4 == 0
      && plane->n_samples == plane->period_bytes / 4 * 3;
}

/* Finds out whether the samples are fields of words of 1, 2, 3, 4 or 8 bytes, each of which has one.
 * @tens: in what loops->split_tens() makes */
static void
find_field (const HistoCpuRegular * regular, HistoCpuComponent * component,
    gboolean tens)
{
  const HistoPlane *plane = &regular->format->planes[component->found.plane];
  const HistoSample *first = &plane->samples[component->found.samples[0]];
  const guint period = tens ? plane->period_bytes / 4 * 6 : plane->period_bytes;
  const guint step = period / component->found.n_samples;
  const guint bytes = tens ? 2 : first->bytes, shift = tens ? 0 : first->shift;
  /* The order of single bytes does not matter, and what split_tens() makes has the host's. */
  const gboolean is_big = bytes == 1 || tens ? G_BYTE_ORDER == G_BIG_ENDIAN : plane->big_endian;
  guint begin = 0, before;

  for (guint k = 0; k < component->found.n_samples; k++) {
    const HistoSample *sample = &plane->samples[component->found.samples[k]];
    const guint offset = tens ? sample->offset / 4 * 6 + sample->shift / 10 * 2 : sample->offset;

    if (k == 0)
      begin = offset;
    if (offset - begin != k * step || sample->bytes != first->bytes
        || (sample->shift != shift && !tens))
      return;
  }
  before = begin % step;
  if (before + bytes > step || step * component->found.n_samples != period)
    return;
  component->byte = before;
  component->is_byte = !regular->is_wide && step >= 2 && step <= 4 && begin == before && bytes == 1
      && shift == 0 && first->mask == 0xff;
  component->is_word = regular->is_wide && !tens && step == 8 && begin == before && bytes == 2 && before % 2 == 0
      && shift == plane->samples[0].shift && first->mask == (guint) G_MAXUINT16 >> shift;
  if (!component->is_byte && step != 1 && step != 2 && step != 4 && (step != 8 || !regular->is_wide))
    return;
  component->tens = tens;
  component->offset = begin - before;
  component->field = (HistoField) {
    .period = step,
    .swap = is_big != (G_BYTE_ORDER == G_BIG_ENDIAN),
    .shift = 8 * (is_big ? step - before - bytes : before) + shift,
    .mask = first->mask
  };
}

static void
find_component (HistoCpuRegular * regular, guint c)
{
  const HistoFormat *format = regular->format;
  HistoCpuComponent *component = &regular->components[c];
  HistoComponentSamples *found = &component->found;

  histo_format_find_samples (format, c, found);
  find_field (regular, component, FALSE);
  if (component->field.period == 0 && has_tens (&format->planes[component->found.plane]))
    find_field (regular, component, TRUE);
  histo_cpu_plane_init (&regular->planes[c], &format->components[c], regular->is_wide, found->width,
      found->height);
  regular->planes[c].samples[0].component = c;
  regular->planes[c].stride =
      ((gsize) found->width * sample_bytes (regular) + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
}

/**
 * histo_cpu_regular_init:
 * @regular: (out):
 * @format: of video; used as long as @regular
 */
void
histo_cpu_regular_init (HistoCpuRegular * regular, const HistoFormat * format)
{
  memset (regular, 0, sizeof *regular);
  regular->format = format;
  for (guint c = 0; c < format->n_components; c++)
    regular->is_wide |= format->components[c].depth > 8;
  regular->loops = histo_loops_choose (regular->is_wide, HISTO_N_LOOPS);
  for (guint c = 0; c < format->n_components; c++)
    find_component (regular, c);
}

/* Returns: the bytes of a picture all of whose planes are copies */
gsize
histo_cpu_regular_room (const HistoCpuRegular * regular)
{
  gsize room = ROW_ALIGNMENT;

  for (guint c = 0; c < regular->format->n_components; c++)
    room += (gsize) regular->planes[c].stride * regular->planes[c].rows;
  return room;
}

/* ---- Pictures ---------------------------------------------------------------------------- */

/**
 * histo_cpu_regular_in_place:
 * @planes: of the format
 *
 * Returns: a bit for each component whose samples are regular where they lie
 */
guint
histo_cpu_regular_in_place (const HistoCpuRegular * regular,
    const HistoPlane * planes)
{
  const HistoFormat *format = regular->format;
  const guint bytes = sample_bytes (regular);
  guint found = 0;

  for (guint c = 0; c < format->n_components; c++) {
    const HistoCpuComponent *component = &regular->components[c];
    const HistoField *field = &component->field;
    const HistoPlane *plane = &planes[component->found.plane];

    /* Planes that have been unpacked have no other bits. */
    if (!component->tens && field->period == bytes && !field->swap
        && field->shift == 0 && (field->mask == (1u << 8 * bytes) - 1 || format->needs_unpack)
        && plane->data % bytes == 0 && plane->stride % bytes == 0)
      found |= 1u << c;
  }
  return found;
}

/* Samples of any kind, one by one, from @first on. */
static void
extract_slowly (const HistoCpuRegular * regular, const HistoCpuComponent * component,
    const HistoPlane * plane, const guint8 * row, guint8 * out, guint first, guint after)
{
  for (guint i = first; i < after; i++) {
    const HistoSample *sample = &plane->samples[component->found.samples[i % component->found.n_samples]];
    const guint8 *period = row + (gsize) (i / component->found.n_samples) * plane->period_bytes;
    const guint32 value = histo_load_word (period + sample->offset, sample->bytes,
        plane->big_endian) >> sample->shift & sample->mask;

    if (regular->is_wide)
      ((guint16 *) out)[i] = value;
    else
      out[i] = value;
  }
}

/* A row of a component, of @count samples. */
static void
make_row (const HistoCpuRegular * regular, const HistoCpuComponent * component,
    const HistoPlane * plane, const guint8 * row, guint8 * out, guint count)
{
  const HistoLoops *loops = regular->loops;
  const HistoField *field = &component->field;
  guint16 tens[TENS];
  guint done = 0;

  if (component->tens) {
    const guint n_words = histo_plane_row_bytes (plane) / 4, most = 2 * TENS / field->period;

    for (guint word = 0; done < count; word += TENS / 3) {
      const guint n = MIN (count - done, most);

      loops->split_tens (row + 4 * word, tens, MIN (n_words - word, TENS / 3));
      loops->extract ((const guint8 *) tens + component->offset, field,
          out + (gsize) done * sample_bytes (regular), n);
      done += n;
    }
    return;
  }
  /* Behind the last sample the buffer may end. */
  if (field->period != 0 && count > 1) {
    loops->extract (row + component->offset, field, out, count - 1);
    done = count - 1;
  }
  extract_slowly (regular, component, plane, row, out, done, count);
}

/* The component's row @y of a regular picture. */
static guint8 *
row_of (const HistoPlane * out, guint y)
{
  return (guint8 *) (guintptr) out->data + (gint64) y * out->stride;
}

/* Makes the rows of the components that are bytes or words of 16 bits of words of @period bytes, all at once. */
static void
make_split_rows (const HistoCpuRegular * regular, const HistoPlane * plane, const guint8 * row,
    guint y, guint components, guint period, const HistoPlane * out)
{
  /* The last period may lack some of the samples. */
  const guint whole = plane->full_periods * plane->period_bytes / period;
  gpointer to[4] = { NULL, };
  const HistoCpuComponent *any = NULL;

  for (guint c = 0; c < regular->format->n_components; c++) {
    const HistoCpuComponent *component = &regular->components[c];

    if ((components >> c & 1) == 0 || component->field.period != period)
      continue;
    to[component->is_word ? component->byte / 2 : component->byte] = row_of (&out[c], y);
    any = component;
    extract_slowly (regular, component, plane, row, row_of (&out[c], y), whole, out[c].periods);
  }
  if (any == NULL)
    return;
  if (any->is_word)
    regular->loops->split_words (row, any->field.swap, plane->samples[0].shift, to, whole);
  else
    regular->loops->split (row, period, to, whole);
}

/* Makes row @y of the planes of @out that @made has a bit for and that @plane has samples of. */
static void
make_rows (const HistoCpuRegular * regular, guint p, const HistoPlane * plane, guint y,
    guint made, guint in_place, const HistoPlane * out)
{
  const guint8 *row = (const guint8 *) (guintptr) plane->data + (gint64) y * plane->stride;
  guint components = 0;

  for (guint c = 0; c < regular->format->n_components; c++) {
    const HistoCpuComponent *component = &regular->components[c];

    if (component->found.plane != p || (made >> c & 1) == 0)
      continue;
    if ((in_place >> c & 1) != 0)
      memcpy (row_of (&out[c], y), row + component->offset,
          (gsize) out[c].periods * sample_bytes (regular));
    else if (component->is_byte || component->is_word)
      components |= 1u << c;
    else
      make_row (regular, component, plane, row, row_of (&out[c], y), out[c].periods);
  }
  for (guint period = 2; period <= 8 && components != 0; period++)
    make_split_rows (regular, plane, row, y, components, period, out);
}

/**
 * histo_cpu_regular_make:
 * @planes: of the format, with data
 * @needed: a bit for each component that is read
 * @copied: a bit for each component that is copied although it is regular in place
 * @memory: histo_cpu_regular_room() bytes for the copies
 * @out: (out) (nullable): a plane for each component: in place, or the copy. Those that are neither needed nor in
 *   place have no data
 * @copies: (out) (nullable): the same, but the copies of all that are copied
 */
void
histo_cpu_regular_make (const HistoCpuRegular * regular, const HistoPlane * planes,
    guint needed, guint copied, guint8 * memory, HistoPlane * out, HistoPlane * copies)
{
  const HistoFormat *format = regular->format;
  const guint in_place = histo_cpu_regular_in_place (regular, planes);
  const guint made = copied | (needed & ~in_place);
  guint8 *to = memory + (ROW_ALIGNMENT - (guintptr) memory % ROW_ALIGNMENT);
  HistoPlane made_planes[HISTO_MAX_COMPONENTS], read_planes[HISTO_MAX_COMPONENTS];

  for (guint c = 0; c < format->n_components; c++) {
    const HistoCpuComponent *component = &regular->components[c];
    const HistoPlane *from = &planes[component->found.plane];

    made_planes[c] = read_planes[c] = regular->planes[c];
    if ((made >> c & 1) != 0) {
      made_planes[c].data = (guint64) (guintptr) to;
      to += (gsize) made_planes[c].stride * made_planes[c].rows;
    }
    if ((in_place >> c & 1) != 0) {
      read_planes[c].data = from->data + component->offset;
      read_planes[c].stride = from->stride;
    } else {
      read_planes[c] = made_planes[c];
    }
    if ((made >> c & 1) == 0)
      made_planes[c] = read_planes[c];
  }
  for (guint p = 0; p < format->n_planes; p++)
    for (guint y = 0; y < planes[p].rows; y++)
      make_rows (regular, p, &planes[p], y, made, in_place, made_planes);
  if (out != NULL)
    memcpy (out, read_planes, format->n_components * sizeof *out);
  if (copies != NULL)
    memcpy (copies, made_planes, format->n_components * sizeof *copies);
}
