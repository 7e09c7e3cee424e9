#!/usr/bin/python3
"""Installs a build into an empty folder, and checks the list of files.

    tests/install/installed.py BUILD_DIR

The plugins must be where the build says that they are, and every file of the list must be there,
with nothing else. Programs must run where they are installed, and the files that other programs
read must be sound: cudahisto-1.0.pc, the manual page, bash's completion.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import wave

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# {prefix}, {libdir} … are Meson's options. What a target of the build brings is expected if the
# build has this target.
FILES = {
    "gstcudahisto": ["{plugins}/libgstcudahisto.so"],
    "gstcudahistooverlay": ["{plugins}/libgstcudahistooverlay.so"],
    "cudahisto-1.0": ["{prefix}/{libdir}/pkgconfig/cudahisto-1.0.pc",
                      "{prefix}/{libdir}/libcudahisto-1.0.so", "{prefix}/{libdir}/libcudahisto-1.0.so.0",
                      "{prefix}/{includedir}/cudahisto-1.0/cudahisto.h"],
    "Cudahisto-1.0.gir": ["{prefix}/{datadir}/gir-1.0/Cudahisto-1.0.gir"],
    "Cudahisto-1.0.typelib": ["{prefix}/{libdir}/girepository-1.0/Cudahisto-1.0.typelib"],
    "cudahisto-1.0.vapi": ["{prefix}/{datadir}/vala/vapi/cudahisto-1.0.vapi",
                           "{prefix}/{datadir}/vala/vapi/cudahisto-1.0.deps"],
    "cudahisto-report": ["{prefix}/{bindir}/cudahisto-report"] + [
        f"{{prefix}}/{{datadir}}/cudahisto/policies/{name}.policy" for name in (
            "archive-basic", "atsc-a85", "ebu-r103", "ebu-r128", "hdr10", "streaming-14", "streaming-16", "upload", "web-flash")],
    "cudahisto-report-libav": ["{prefix}/{libdir}/cudahisto/cudahisto-report-libav.so"],
    "cudahisto-report.1": ["{prefix}/{mandir}/man1/cudahisto-report.1",
                           "{prefix}/{datadir}/bash-completion/completions/cudahisto-report"],
}


def run(command, **how):
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace",
                          stdin=subprocess.DEVNULL, check=False, **how)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def introspect(build, what):
    """What Meson knows about the build."""
    with open(os.path.join(build, "meson-info", f"intro-{what}.json"), encoding="utf-8") as file:
        return json.load(file)


class Build:
    def __init__(self, path):
        self.path = path
        self.options = {option["name"]: option["value"] for option in introspect(path, "buildoptions")}
        self.targets = {target["name"]: target for target in introspect(path, "targets")
                        if target["installed"] or "static" not in target["type"]}
        plugin = self.targets["gstcudahisto"]["install_filename"][0]
        self.options["plugins"] = os.path.dirname(plugin)

    def place(self, pattern):
        return os.path.normpath(pattern.format(**self.options))

    def static_library(self):
        """The deprecated one, with its headers, unless the option leaves it out."""
        if not self.options["static-library"]:
            return []
        folder = os.path.join(ROOT, "plugin", "cudahisto")
        return ["{prefix}/{libdir}/libcudahisto-1.0.a"] + [
            f"{{prefix}}/{{includedir}}/cudahisto-1.0/cudahisto/{name}" for name in os.listdir(folder)
            if name.endswith(".h") and name in run(["cat", os.path.join(folder, "meson.build")])]

    def static_plugins(self):
        """For programs that contain their plugins."""
        if self.options["default_library"] == "shared":
            return []
        return [f"{{plugins}}/lib{name}.a" for name in ("gstcudahisto", "gstcudahistooverlay") if name in self.targets]

    def python_module(self):
        """Where the module is installed, if the build has a Python."""
        return [place for source, place in introspect(self.path, "installed").items()
                if "/pipelines/python/" in source]

    def expected(self):
        patterns = [one for target, files in FILES.items() if target in self.targets for one in files]
        return sorted(self.place(one) for one in patterns + self.static_library() + self.static_plugins()
                      + self.python_module())


def install(build, folder):
    """Installs; returns the files below the folder, as absolute paths of the target system."""
    meson = shutil.which("meson")
    assert meson, "there is no meson"
    run([meson, "install", "--no-rebuild", "--quiet", "-C", build, "--destdir", folder])
    return sorted("/" + os.path.relpath(os.path.join(place, name), folder)
                  for place, _, names in os.walk(folder) for name in names)


def check_plugin_folder(build):
    """The default: GStreamer's own folder if it is below the prefix."""
    if build.options["plugin-dir"]:
        return
    own = run(["pkg-config", "--variable=pluginsdir", "gstreamer-1.0"]).strip()
    user = os.path.expanduser("~/.local/share/gstreamer-1.0/plugins")
    prefix = build.options["prefix"] + "/"
    wanted = [folder for folder in (own, user) if folder.startswith(prefix)] or \
        [build.place("{prefix}/{libdir}/gstreamer-1.0")]
    assert build.options["plugins"] in wanted, build.options["plugins"]


def check_loads(build, folder):
    """GStreamer finds the element in the folder in which it is installed."""
    environment = dict(os.environ, GST_PLUGIN_PATH_1_0=folder + build.options["plugins"],
                       GST_REGISTRY_1_0=os.path.join(folder, "registry"))
    printed = run(["gst-inspect-1.0", "cudahisto"], env=environment)
    assert folder + build.options["plugins"] in printed, printed


def check_pkg_config(build, folder):
    """A program finds the headers and the libraries that are installed, and none that is not."""
    environment = dict(os.environ, PKG_CONFIG_SYSROOT_DIR=folder,
                       PKG_CONFIG_PATH=folder + build.place("{prefix}/{libdir}/pkgconfig"))
    flags = run(["pkg-config", "--cflags", "--libs", "cudahisto-1.0"], env=environment)
    wanted = [("-I", "cudahisto.h"), ("-L", "libcudahisto-1.0.so")]
    if build.options["static-library"]:
        wanted += [("-I", "cudahisto/cudahisto.h"), ("-L", "libcudahisto-1.0.a")]
    for kind, name in wanted:
        places = re.findall(rf"{kind}(\S+)", flags)
        assert any(os.path.exists(os.path.join(place, name)) for place in places), f"{name}: {flags}"
    assert ("-l:libcudahisto-1.0.a" in flags) == build.options["static-library"], flags
    with open(folder + build.place("{prefix}/{libdir}/pkgconfig/cudahisto-1.0.pc"), encoding="utf-8") as file:
        assert ROOT not in file.read(), "cudahisto-1.0.pc names the source tree"


def check_programs(build, folder):
    """A program runs where it is installed, and finds an installed plugin."""
    program = folder + build.place("{prefix}/{bindir}/cudahisto-report")
    if os.path.exists(program):
        environment = dict(os.environ, GST_PLUGIN_PATH_1_0=folder + build.options["plugins"],
                           GST_REGISTRY_1_0=os.path.join(folder, "registry"))
        version = run([program, "--version"], env=environment)
        assert introspect(build.path, "projectinfo")["version"] in version, version
        assert "ebu-r128" in run([program, "--list-policies"], env=environment)
        if "cudahisto-report-libav" in build.targets:
            path = os.path.join(folder, "sound.wav")
            with wave.open(path, "wb") as file:
                file.setparams((2, 2, 48000, 0, "NONE", ""))
                file.writeframes(bytes(48000))
            summary = json.loads(run([program, "--json-summary", path], env=environment))
            sources = {fact["name"]: fact["source"] for fact in summary["streams"][0]["facts"]}
            assert sources["rate"] == "container", f"the module is not found: {sources}"
            os.remove(path)


def check_python(build, folder):
    """Debian's Python finds the module if it is installed below /usr or /usr/local."""
    for place in build.python_module():
        program = "import sys; print(sys.argv[1] in sys.path)"
        found = run(["/usr/bin/python3", "-c", program, os.path.dirname(os.path.dirname(place))]).strip()
        assert found == "True" or build.options["prefix"] not in ("/usr", "/usr/local"), place
    for place in build.python_module()[:1]:
        package = folder + os.path.dirname(place)
        program = "import cudahisto; print(cudahisto.__version__, cudahisto.__file__)"
        environment = dict(os.environ, PYTHONPATH=os.path.dirname(package), PYTHONDONTWRITEBYTECODE="1")
        printed = run(["/usr/bin/python3", "-c", program], env=environment, cwd=folder).split()
        assert printed == [introspect(build.path, "projectinfo")["version"], os.path.join(package, "__init__.py")], printed


def main():
    build = Build(os.path.abspath(sys.argv[1]))
    with tempfile.TemporaryDirectory(prefix="cudahisto-") as folder:
        found, expected = install(build.path, folder), build.expected()
        for name in sorted(set(expected) - set(found)):
            print("not installed:", name)
        for name in sorted(set(found) - set(expected)):
            print("not in the list:", name)
        check_plugin_folder(build)
        check_loads(build, folder)
        check_pkg_config(build, folder)
        check_programs(build, folder)
        check_python(build, folder)
    print(f"{len(found)} files are installed, {len(expected)} are in the list")
    return 1 if found != expected else 0


if __name__ == "__main__":
    sys.exit(main())
