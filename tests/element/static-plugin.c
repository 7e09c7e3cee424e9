/* The plugins as a part of the program, as builds of gst-full have them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "compare.h"
#include "frames.h"

GST_PLUGIN_STATIC_DECLARE (cudahisto);
#ifdef HAVE_OVERLAY
GST_PLUGIN_STATIC_DECLARE (cudahistooverlay);
#endif
GST_ELEMENT_REGISTER_DECLARE (cudahistocompare);

/* Removes what a plugin folder of the environment has. */
static void
forget_plugin (const gchar * name)
{
  GstPlugin *plugin = gst_registry_find_plugin (gst_registry_get (), name);

  if (plugin == NULL)
    return;
  gst_registry_remove_plugin (gst_registry_get (), plugin);
  gst_object_unref (plugin);
}

/* Returns: (transfer full): the plugin of an element; %NULL: there is no such element */
static gchar *
plugin_of (const gchar * element)
{
  GstElementFactory *factory = gst_element_factory_find (element);
  gchar *name;

  if (factory == NULL)
    return NULL;
  name = g_strdup (gst_plugin_feature_get_plugin_name (GST_PLUGIN_FEATURE
          (factory)));
  gst_object_unref (factory);
  return name;
}

static void
check_plugin_of (const gchar * element, const gchar * expected)
{
  gchar *plugin = plugin_of (element);

  fail_unless_equals_string (plugin, expected);
  g_free (plugin);
}

/* A frame passes, and is measured. */
static void
check_element (void)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GstBuffer *buffer = gst_harness_push_and_pull (harness, test_frame_new (0));
  GstCaps *caps = gst_pad_get_current_caps (harness->sinkpad);

  test_compare_frame (buffer, caps, test_backend ());
  gst_caps_unref (caps);
  gst_buffer_unref (buffer);
  test_harness_free (harness);
}

TEST (test_static_plugins)
{
  forget_plugin ("cudahisto");
  forget_plugin ("cudahistooverlay");
  check_plugin_of ("cudahisto", NULL);

  /* One element by itself, which belongs to no plugin. */
  fail_unless (GST_ELEMENT_REGISTER (cudahistocompare, NULL));
  fail_unless (gst_element_factory_find ("cudahistocompare") != NULL);
  check_plugin_of ("cudahisto", NULL);

  GST_PLUGIN_STATIC_REGISTER (cudahisto);
  check_plugin_of ("cudahisto", "cudahisto");
  check_plugin_of ("cudahistocompare", "cudahisto");
  check_element ();
#ifdef HAVE_OVERLAY
  check_plugin_of ("cudahistooverlay", NULL);
  GST_PLUGIN_STATIC_REGISTER (cudahistooverlay);
  check_plugin_of ("cudahistooverlay", "cudahistooverlay");
#endif
}

TEST_MAIN (30)
