/* Numbered images that are a film; see sequence.h.
 *
 * The number of an image is its time: a number that is not there leaves a gap. Images are decoded at the same time, each by a
 * decoder of its own, and given in their order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "facts/sequence.h"

#include <gst/video/video.h>

#include "base/describe.h"
#include "base/names.h"
#include "facts/image-formats.h"
#include "facts/numbered.h"

/* So many damaged images are named. */
#define MOST_DAMAGED 100
#define UNSPECIFIED 2           /* code point of ISO/IEC 23091-2 */

struct _ReportSequence
{
  gchar *path;                  /* of the only image; NULL: they are numbered */
  ReportNumbered numbered;
  ReportRational rate;          /* 0: of one image */
  gint64 max_pixels;
  GPtrArray *damaged;           /* of texts; of the thread that decodes until it has ended */
};

/* ---- Rate --------------------------------------------------------------------------------------- */

/* Frames in a second: 24, 24000/1001, or 23.976, which means the same.
 *
 * Returns: FALSE: it is none */
gboolean
report_sequence_read_rate (const gchar * text, ReportRational * rate)
{
  gchar *end;
  const gdouble number = g_ascii_strtod (text, &end);
  gdouble divisor = 1;
  gint numerator = 0, denominator = 1;

  if (end != text && *end == '/')
    divisor = g_ascii_strtod (end + 1, &end);
  /* All comparisons with what is no number fail. */
  if (*end != '\0' || !(number / divisor >= 0.001 && number / divisor <= 100000))
    return FALSE;
  gst_util_double_to_fraction (number / divisor, &numerator, &denominator);
  if (divisor == 1001)
    numerator = number, denominator = divisor;
  else if (denominator != 1)
    gst_video_guess_framerate (GST_SECOND * divisor / number, &numerator, &denominator);
  *rate = (ReportRational) {
  numerator, denominator};
  return TRUE;
}

/* ---- One image ---------------------------------------------------------------------------------- */

typedef struct
{
  const ReportSequence *sequence;
  guint i;
  ReportPicture picture;
  const ReportImageFormat *format;
  gsize size;                   /* of the file */
  const gchar *transfer;        /* in the words of the format; NULL: not said */
  gchar *problem;               /* NULL: there is a picture, whose planes are (transfer full) */
  gboolean is_done;
} Image;

static gchar *
decode_bytes (Image * image, const guint8 * bytes, gsize n)
{
  const gint64 max_pixels = image->sequence->max_pixels;
  gchar *problem;

  image->size = n;
  image->format = report_image_format_find (bytes, n);
  problem = report_image_format_check (image->format, bytes, n, max_pixels, TRUE);
  if (problem != NULL)
    return problem;
  image->transfer = report_image_format_transfer (image->format, bytes, n);
  return report_statements_decode_image (image->format->codec, bytes, n, max_pixels, &image->picture);
}

static void
decode_image (Image * image)
{
  const ReportSequence *sequence = image->sequence;
  g_autofree gchar *path = sequence->path != NULL ? g_strdup (sequence->path) : report_numbered_path (&sequence->numbered, image->i);
  g_autofree gchar *name = report_name_for_people (path);
  g_autofree guint8 *bytes = NULL;
  g_autofree gchar *problem = NULL;
  gsize n;

  problem = report_image_read_file (path, &bytes, &n);
  if (problem == NULL)
    problem = decode_bytes (image, bytes, n);
  /* The input itself need not be named. */
  if (problem != NULL)
    image->problem = sequence->path != NULL ? g_steal_pointer (&problem) : g_strdup_printf ("%s: %s", name, problem);
}

static void
clear_image (Image * image)
{
  if (image->problem == NULL) {
    for (guint p = 0; p < image->picture.n_planes; p++)
      report_statements_release_plane (image->picture.planes[p].owner);
  }
  g_clear_pointer (&image->problem, g_free);
}

/* ---- The film ----------------------------------------------------------------------------------- */

/**
 * report_sequence_find:
 * @rate: that report_sequence_read_rate() reads
 * @problem: (out) (transfer full): why there is none
 */
ReportSequence *
report_sequence_find (const gchar * pattern, const gchar * rate,
    gint64 max_pixels, gchar ** problem)
{
  ReportSequence *sequence = g_new0 (ReportSequence, 1);
  g_autoptr (GError) error = NULL;

  sequence->max_pixels = max_pixels;
  sequence->damaged = g_ptr_array_new_with_free_func (g_free);
  report_sequence_read_rate (rate, &sequence->rate);
  *problem = NULL;
  if (!report_numbered_find (&sequence->numbered, pattern, &error))
    *problem = g_strdup ("is no pattern of numbered images, such as frame-%04d.png");
  else if (error != NULL)
    *problem = g_strdup (error->message);
  else if (sequence->numbered.numbers->len == 0)
    *problem = g_strdup ("there is no image of this sequence");
  else if (!report_statements_has_images ())
    *problem = g_strdup ("sequences are decoded only by libav, which this build has not");
  if (*problem != NULL)
    g_clear_pointer (&sequence, report_sequence_free);
  return sequence;
}

/**
 * report_sequence_of_image:
 * @path: of an image
 * @format: its format, for people
 * @problem: (out) (transfer full): why it cannot be measured
 *
 * Returns: (transfer full) (nullable): the image, as a film of one picture
 */
ReportSequence *
report_sequence_of_image (const gchar * path, const gchar * format, gint64 max_pixels, gchar ** problem)
{
  const guint64 number = 0;
  ReportSequence *sequence;

  *problem = NULL;
  if (!report_statements_has_images ()) {
    *problem = g_strdup_printf ("is an image, %s, which is decoded only by libav (also with --images and --sequence); this build has not it",
        format);
    return NULL;
  }
  sequence = g_new0 (ReportSequence, 1);
  sequence->path = g_strdup (path);
  sequence->rate = (ReportRational) { 0, 1 };
  sequence->max_pixels = max_pixels;
  sequence->damaged = g_ptr_array_new_with_free_func (g_free);
  sequence->numbered.numbers = g_array_new (FALSE, FALSE, sizeof number);
  g_array_append_val (sequence->numbered.numbers, number);
  return sequence;
}

void
report_sequence_free (ReportSequence * sequence)
{
  g_free (sequence->path);
  report_numbered_clear (&sequence->numbered);
  g_ptr_array_unref (sequence->damaged);
  g_free (sequence);
}

static guint64
number_of (const ReportSequence * sequence, guint i)
{
  return g_array_index (sequence->numbered.numbers, guint64, i);
}

/* Returns: ns from the first number to the i-th image, and @more frames. One image has no duration */
static gint64
time_of (const ReportSequence * sequence, guint i, guint more)
{
  if (sequence->rate.numerator == 0)
    return 0;
  return gst_util_uint64_scale (number_of (sequence, i) - number_of (sequence, 0) + more,
      GST_SECOND * sequence->rate.denominator, sequence->rate.numerator);
}

/**
 * report_sequence_read:
 * @problem: (out) (transfer full): why there is nothing
 *
 * Returns: (transfer full) (nullable): what the first image that can be decoded says
 */
ReportStatements *
report_sequence_read (ReportSequence * sequence, gchar ** problem)
{
  const guint n = sequence->numbered.numbers->len;
  Image image = {.sequence = sequence };
  ReportStatements *statements;
  ReportSaidStream said = {.number = -1,.length = -1,.is_probed = TRUE,.is_decodable = TRUE,.has_decoder = TRUE };

  *problem = NULL;
  decode_image (&image);
  while (image.problem != NULL && image.i + 1 < n) {
    if (*problem == NULL)
      *problem = g_strdup (image.problem);
    clear_image (&image);
    image = (Image) {.sequence = sequence,.i = image.i + 1 };
    decode_image (&image);
  }
  if (image.problem != NULL) {
    if (*problem == NULL)
      *problem = g_strdup (image.problem);
    clear_image (&image);
    return NULL;
  }
  g_clear_pointer (problem, g_free);
  said.codec = g_strdup (image.format->codec);
  said.codec_title = image.transfer == NULL ? g_strdup (image.format->name) :
      g_strdup_printf ("%s (%s)", image.format->name, image.transfer);
  said.width = image.picture.width;
  said.height = image.picture.height;
  said.duration = time_of (sequence, n - 1, 1);
  said.container.frame_rate = sequence->rate;
  said.container.matrix = image.picture.matrix == UNSPECIFIED ? 0 : image.picture.matrix;
  said.container.transfer = image.picture.transfer == UNSPECIFIED ? 0 : image.picture.transfer;
  said.container.primaries = image.picture.primaries == UNSPECIFIED ? 0 : image.picture.primaries;
  said.container.range = image.picture.range;
  said.container.field_order = REPORT_ORDER_PROGRESSIVE;
  said.sequence = sequence;
  clear_image (&image);
  statements = report_statements_new ("image2");
  g_array_append_val (statements->streams, said);
  return statements;
}

typedef struct
{
  GMutex lock;
  GCond changed;
} Shared;

static void
run_image (gpointer data, gpointer user)
{
  Image *image = data;
  Shared *shared = user;

  decode_image (image);
  g_mutex_lock (&shared->lock);
  image->is_done = TRUE;
  g_cond_broadcast (&shared->changed);
  g_mutex_unlock (&shared->lock);
}

static gboolean
give_image (ReportSequence * sequence, Image * image,
    ReportTakePacket take_packet, ReportTakePicture take, gpointer data)
{
  const gint64 time = time_of (sequence, image->i, 0);
  const ReportPacket packet = {
    .time = time,.decoding_time = time,.duration = time_of (sequence, image->i, 1) - time,
    .n_bytes = image->size,.is_key = TRUE
  };

  if (image->problem != NULL) {
    if (sequence->damaged->len < MOST_DAMAGED)
      g_ptr_array_add (sequence->damaged, g_strdup (image->problem));
    return TRUE;
  }
  take_packet (&packet, data);
  image->picture.time = time;
  image->picture.duration = packet.duration;
  image->picture.rate = sequence->rate;
  return take (&image->picture, data);
}

/**
 * report_sequence_decode:
 * @must_stop: called in this thread between images
 * @take_packet: called in this thread for each image that can be decoded
 * @take: the same; its planes are (transfer full)
 *
 * Decodes all images.
 */
void
report_sequence_decode (ReportSequence * sequence, ReportMustStop must_stop,
    ReportTakePacket take_packet, ReportTakePicture take, gint n_threads,
    gpointer data)
{
  const guint n = sequence->numbered.numbers->len;
  g_autofree Image *images = g_new0 (Image, n_threads);
  Shared shared;
  GThreadPool *pool;
  guint next = 0, i = 0;
  gboolean is_wanted = TRUE;

  g_mutex_init (&shared.lock);
  g_cond_init (&shared.changed);
  pool = g_thread_pool_new (run_image, &shared, n_threads, FALSE, NULL);
  for (; i < n && is_wanted && !must_stop (data); i++) {
    Image *image = &images[i % n_threads];

    for (; next < n && next < i + n_threads; next++) {
      images[next % n_threads] = (Image) {.sequence = sequence,.i = next };
      g_thread_pool_push (pool, &images[next % n_threads], NULL);
    }
    g_mutex_lock (&shared.lock);
    while (!image->is_done)
      g_cond_wait (&shared.changed, &shared.lock);
    g_mutex_unlock (&shared.lock);
    is_wanted = give_image (sequence, image, take_packet, take, data);
    g_clear_pointer (&image->problem, g_free);
  }
  g_thread_pool_free (pool, FALSE, TRUE);
  for (; i < next; i++)
    clear_image (&images[i % n_threads]);
  g_mutex_clear (&shared.lock);
  g_cond_clear (&shared.changed);
}

/* Returns: (transfer full): which numbers between others are missing, as texts */
GPtrArray *
report_sequence_missing (const ReportSequence * sequence)
{
  GPtrArray *missing = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < sequence->numbered.numbers->len; i++) {
    gchar *gap = report_numbered_gap (&sequence->numbered, i);

    if (gap != NULL)
      g_ptr_array_add (missing, gap);
  }
  return missing;
}

/* Returns: (transfer none): what is wrong with the first images that could not be decoded, when all is decoded */
GPtrArray *
report_sequence_damaged (ReportSequence * sequence)
{
  return sequence->damaged;
}
