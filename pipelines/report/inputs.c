/* The inputs that the command line names; see inputs.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "inputs.h"

#include <gst/base/gsttypefindhelper.h>
#include <string.h>

/* From so many bytes GStreamer recognises a file. */
#define HEAD_BYTES (64 * 1024)

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

/* Whether GStreamer recognises the file as video or sound. Pictures, texts and subtitles in a
 * folder are left out. */
static gboolean
is_media (GFile * file)
{
  GFileInputStream *stream = g_file_read (file, NULL, NULL);
  guint8 *head;
  gsize n = 0;
  GstCaps *caps = NULL;
  gboolean found;

  if (stream == NULL)
    return FALSE;
  head = g_malloc (HEAD_BYTES);
  g_input_stream_read_all (G_INPUT_STREAM (stream), head, HEAD_BYTES, &n, NULL,
      NULL);
  if (n > 0)
    caps = gst_type_find_helper_for_data (NULL, head, n, NULL);
  found = caps != NULL && is_media_type (caps);
  g_clear_pointer (&caps, gst_caps_unref);
  g_free (head);
  g_object_unref (stream);
  return found;
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const gchar * const *) a, *(const gchar * const *) b);
}

/* Adds the media files in a folder and in its folders, sorted by their paths. */
static gboolean
add_folder (GPtrArray * inputs, GFile * folder, GError ** error)
{
  GFileEnumerator *entries = g_file_enumerate_children (folder,
      G_FILE_ATTRIBUTE_STANDARD_NAME "," G_FILE_ATTRIBUTE_STANDARD_TYPE ","
      G_FILE_ATTRIBUTE_STANDARD_IS_HIDDEN,
      G_FILE_QUERY_INFO_NOFOLLOW_SYMLINKS, NULL, error);
  GFileInfo *info;
  GFile *child;
  gboolean ok = entries != NULL;

  while (ok && (ok = g_file_enumerator_iterate (entries, &info, &child, NULL,
              error)) && info != NULL) {
    if (g_file_info_get_is_hidden (info))
      continue;
    if (g_file_info_get_file_type (info) == G_FILE_TYPE_DIRECTORY)
      ok = add_folder (inputs, child, error);
    /* Opening a pipe would wait for its other end. */
    else if (g_file_query_file_type (child, G_FILE_QUERY_INFO_NONE, NULL)
        == G_FILE_TYPE_REGULAR && is_media (child))
      g_ptr_array_add (inputs, g_file_get_path (child));
  }
  g_clear_object (&entries);
  return ok;
}

/**
 * report_inputs_expand:
 * @names: what the user wrote, in the encoding of file names
 *
 * Returns: (transfer full) (nullable) (element-type filename): the inputs, with the media files in
 * place of their folders; NULL with an error if a folder cannot be read
 */
GPtrArray *
report_inputs_expand (gchar ** names, GError ** error)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func (g_free);

  for (gchar ** name = names; *name != NULL; name++) {
    GPtrArray *files;
    GFile *folder;
    gboolean ok;

    if (!g_file_test (*name, G_FILE_TEST_IS_DIR)) {
      g_ptr_array_add (inputs, g_strdup (*name));
      continue;
    }
    folder = g_file_new_for_path (*name);
    files = g_ptr_array_new ();
    ok = add_folder (files, folder, error);
    g_object_unref (folder);
    g_ptr_array_sort (files, compare_names);
    g_ptr_array_extend_and_steal (inputs, files);
    if (!ok) {
      g_ptr_array_unref (inputs);
      return NULL;
    }
  }
  return inputs;
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
