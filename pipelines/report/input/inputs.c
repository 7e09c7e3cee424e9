/* The inputs that the command line names; see inputs.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input/inputs.h"

#include <gst/base/gsttypefindhelper.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/names.h"
#include "base/sorted.h"

/* From so many bytes GStreamer recognises a file. */
#define HEAD_BYTES (64 * 1024)
/* So many pictures that are left out are named. */
#define MOST_PICTURES 5

/* Whether one of the elements decodes video or sound, or takes streams out of a file. Demuxers of
 * playlists and of network sessions do not count: their streams are somewhere else. */
static gboolean
opens_media (const GList * elements)
{
  for (; elements != NULL; elements = elements->next) {
    GstElementFactory *factory = elements->data;
    const gchar *klass = gst_element_factory_get_metadata (factory,
        GST_ELEMENT_METADATA_KLASS);

    if (strstr (klass, "Adaptive") == NULL && strstr (klass, "Network") == NULL
        && (strstr (klass, "Demuxer") != NULL || strstr (klass, "Video") != NULL
            || strstr (klass, "Audio") != NULL))
      return TRUE;
  }
  return FALSE;
}

/* Many containers have types such as application/ogg or application/x-yuv4mpeg: those that an
 * element opens are media. */
static gboolean
is_media_type (const GstCaps * caps)
{
  const gchar *name = gst_structure_get_name (gst_caps_get_structure (caps, 0));
  GList *all, *elements;
  gboolean found;

  if (g_str_has_prefix (name, "video/") || g_str_has_prefix (name, "audio/"))
    return TRUE;
  if (!g_str_has_prefix (name, "application/"))
    return FALSE;
  all = gst_element_factory_list_get_elements
      (GST_ELEMENT_FACTORY_TYPE_DEMUXER | GST_ELEMENT_FACTORY_TYPE_DECODER,
      GST_RANK_MARGINAL);
  elements = gst_element_factory_list_filter (all, caps, GST_PAD_SINK, FALSE);
  found = opens_media (elements);
  gst_plugin_feature_list_free (elements);
  gst_plugin_feature_list_free (all);
  return found;
}

/* Files with these endings of their names are meant as video or sound, whatever they contain. */
static const gchar *const media_endings[] = {
  "3g2", "3gp", "aac", "ac3", "aif", "aiff", "ape", "asf", "avi", "caf",
  "264", "265", "bwf", "divx", "dsf", "dts", "dv", "eac3", "f4v", "flac", "flv", "h264", "h265", "hevc",
  "ivf", "m2t", "m2ts", "m2v", "m4a", "m4b", "m4v", "mj2", "mk3d", "mka", "mkv",
  "mlp", "mov", "mp2", "mp3", "mp4", "mpeg", "mpg", "mts", "mxf", "nut", "oga", "ogg", "ogm",
  "ogv", "opus", "qt", "rf64", "rm", "rmvb", "ts", "tta", "vob", "w64", "wav",
  "webm", "wma", "wmv", "wv", "y4m", NULL
};

/* And these as pictures. */
static const gchar *const picture_endings[] = {
  "bmp", "cin", "dng", "dpx", "exr", "gif", "heic", "heif", "j2k", "jp2",
  "jpeg", "jpg", "jxl", "pam", "pbm", "pgm", "png", "pnm", "ppm", "psd", "tga", "tif",
  "tiff", "webp", NULL
};

typedef enum
{
  FILE_MEDIA,
  FILE_PICTURE,
  FILE_OTHER
} FileKind;

static gboolean
has_ending (GFile * file, const gchar * const *endings)
{
  g_autofree gchar *name = g_file_get_basename (file);
  const gchar *dot = strrchr (name, '.');
  g_autofree gchar *ending = g_ascii_strdown (dot != NULL ? dot + 1 : "", -1);

  return g_strv_contains (endings, ending);
}

/* @is_text: the file contains text */
static gboolean
is_meant_as_media (GFile * file, gboolean is_text)
{
  static const gchar *const of_programs[] = { "ts", NULL };

  /* Programs in TypeScript have the ending of MPEG-TS. */
  return has_ending (file, media_endings)
      && !(is_text && has_ending (file, of_programs));
}

/* @is_text: (out): the file contains text in UTF-8
 * Returns: (transfer full) (nullable): what GStreamer takes the content of a file for; NULL: nothing,
 * or it cannot be read */
static GstCaps *
find_type (GFile * file, gboolean * is_text)
{
  g_autoptr (GFileInputStream) stream = g_file_read (file, NULL, NULL);
  GstCaps *caps = NULL;
  g_autofree guint8 *head = NULL;
  const gchar *end;
  gsize n = 0;

  *is_text = FALSE;
  if (stream == NULL)
    return NULL;
  head = g_malloc (HEAD_BYTES);
  g_input_stream_read_all (G_INPUT_STREAM (stream), head, HEAD_BYTES, &n, NULL,
      NULL);
  if (n > 0) {
    caps = gst_type_find_helper_for_data (NULL, head, n, NULL);
    /* The last character may be cut. */
    *is_text = g_utf8_validate ((gchar *) head, n, &end)
        || (n == HEAD_BYTES && end > (gchar *) head + n - 4);
  }
  return caps;
}

/* Media are files that GStreamer recognises, and files that are named so: if one of those is empty,
 * damaged or cannot be read, measuring it reports that. Pictures, texts and subtitles are left out. */
static FileKind
kind_of (GFile * file)
{
  gboolean is_text;
  g_autoptr (GstCaps) caps = find_type (file, &is_text);

  if (caps != NULL && is_media_type (caps))
    return FILE_MEDIA;
  if (caps != NULL && g_str_has_prefix (gst_structure_get_name (gst_caps_get_structure (caps, 0)), "image/"))
    return FILE_PICTURE;
  if (is_meant_as_media (file, is_text))
    return FILE_MEDIA;
  return has_ending (file, picture_endings) ? FILE_PICTURE : FILE_OTHER;
}

typedef struct
{
  GPtrArray *files, *pictures;  /* (element-type filename) */
  ReportProgress *progress;
  gboolean is_all;              /* all folders could be read */
} Search;

static void search_folder (Search * search, GFile * folder);

static void
look_at (Search * search, GFile * child, GFileInfo * info)
{
  if (g_file_info_get_file_type (info) == G_FILE_TYPE_DIRECTORY) {
    search_folder (search, child);
    return;
  }
  switch (g_file_query_file_type (child, G_FILE_QUERY_INFO_NONE, NULL)) {
    case G_FILE_TYPE_REGULAR:
      switch (kind_of (child)) {
        case FILE_MEDIA:
          g_ptr_array_add (search->files, g_file_get_path (child));
          break;
        case FILE_PICTURE:
          g_ptr_array_add (search->pictures, g_file_get_path (child));
          break;
        case FILE_OTHER:
          break;
      }
      break;
    case G_FILE_TYPE_UNKNOWN:
    case G_FILE_TYPE_SYMBOLIC_LINK:
      /* A link to a file that is not there. */
      if (is_meant_as_media (child, FALSE))
        g_ptr_array_add (search->files, g_file_get_path (child));
      break;
    default:
      /* Opening a pipe would wait for its other end. */
      break;
  }
}

/* Adds one line on a folder. */
static void
complain_of (Search * search, GFile * folder, const gchar * text)
{
  g_autofree gchar *path = g_file_get_path (folder);
  g_autofree gchar *name = report_name_for_people (path);

  report_complain (search->progress, name, text);
  search->is_all = FALSE;
}

/* Finds the media files in a folder and in its folders. A folder that cannot be read is one line. */
static void
search_folder (Search * search, GFile * folder)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GFileEnumerator) entries = g_file_enumerate_children (folder,
      G_FILE_ATTRIBUTE_STANDARD_NAME "," G_FILE_ATTRIBUTE_STANDARD_TYPE ","
      G_FILE_ATTRIBUTE_STANDARD_IS_HIDDEN,
      G_FILE_QUERY_INFO_NOFOLLOW_SYMLINKS, NULL, &error);
  GFileInfo *info = NULL;
  GFile *child;

  while (entries != NULL && report_interrupt_signal () == 0
      && g_file_enumerator_iterate (entries, &info, &child, NULL, &error)
      && info != NULL) {
    if (!g_file_info_get_is_hidden (info))
      look_at (search, child, info);
  }
  if (error != NULL)
    complain_of (search, folder, error->message);
}

static void
tell_pictures (const Search * search)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_ptr_array_sort (search->pictures, report_sorted_compare_texts);
  g_string_printf (text, "%u still image%s left out:", search->pictures->len,
      search->pictures->len == 1 ? " was" : "s were");
  for (guint i = 0; i < MIN (search->pictures->len, MOST_PICTURES); i++) {
    g_autofree gchar *base = g_path_get_basename (search->pictures->pdata[i]);
    g_autofree gchar *name = report_name_for_people (base);

    g_string_append_printf (text, "%s %s", i > 0 ? "," : "", name);
  }
  if (search->pictures->len > MOST_PICTURES)
    g_string_append_printf (text, " and %u more",
        search->pictures->len - MOST_PICTURES);
  report_complain (search->progress, NULL, text->str);
}

/**
 * report_inputs_expand:
 * @names: what the user wrote, in the encoding of file names
 * @is_quiet: do not list the files that were left out
 * @is_all: (out): all folders could be read, and each folder of @names has media files; the standard error has a line
 *   for each other one
 *
 * Returns: (transfer full) (element-type filename): the inputs, with the media files in place of
 * their folders, sorted by their paths
 */
GPtrArray *
report_inputs_expand (gchar ** names, ReportProgress * progress,
    gboolean is_quiet, gboolean * is_all)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func (g_free);
  Search search = { NULL, g_ptr_array_new_with_free_func (g_free), progress,
    TRUE
  };

  *is_all = TRUE;
  for (gchar ** name = names; *name != NULL; name++) {
    g_autoptr (GFile) folder = NULL;

    if (!g_file_test (*name, G_FILE_TEST_IS_DIR)) {
      g_ptr_array_add (inputs, g_strdup (*name));
      continue;
    }
    folder = g_file_new_for_path (*name);
    search.files = g_ptr_array_new ();
    search.is_all = TRUE;
    search_folder (&search, folder);
    if (search.files->len == 0 && search.is_all && report_interrupt_signal () == 0)
      complain_of (&search, folder, "there is no file of video or sound in this folder");
    *is_all = *is_all && search.is_all;
    g_ptr_array_sort (search.files, report_sorted_compare_texts);
    g_ptr_array_extend_and_steal (inputs, search.files);
  }
  if (search.pictures->len > 0 && !is_quiet)
    tell_pictures (&search);
  g_ptr_array_unref (search.pictures);
  return inputs;
}

/* Returns: whether the path is a file with video, sound or a picture, or is named so */
gboolean
report_inputs_is_film (const gchar * path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  return g_file_test (path, G_FILE_TEST_IS_REGULAR)
      && kind_of (file) != FILE_OTHER;
}

/* Returns: whether the name of a file is that of a picture */
gboolean
report_inputs_is_named_picture (const gchar * path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  return has_ending (file, picture_endings);
}

/* Keeps inputs @shard, @shard + @n_shards, and so on. */
void
report_inputs_take_shard (GPtrArray * inputs, guint shard, guint n_shards)
{
  guint n = 0;

  for (guint i = shard; i < inputs->len; i += n_shards) {
    gpointer kept = inputs->pdata[i];

    /* The one that is dropped later takes its place. */
    inputs->pdata[i] = inputs->pdata[n];
    inputs->pdata[n++] = kept;
    if (i > G_MAXUINT - n_shards)
      break;
  }
  g_ptr_array_set_size (inputs, n);
}
