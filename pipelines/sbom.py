#!/usr/bin/python3
"""Writes the software bill of materials of a build to standard output: SPDX 2.3, as JSON.

    pipelines/sbom.py BUILD_DIR > cudahisto.spdx.json

It has the files that `meson install` installs, with their checksums, and the libraries that they are linked to, with the versions
that Meson found. Libraries of Debian's packages have the package's version and its purl, by which scanners find advisories. What
the program contains of others is in it, too. SOURCE_DATE_EPOCH is the time of the document; default: now.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import datetime
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import uuid

LICENSE = "LGPL-2.1-or-later"
TOOL = "cudahisto-sbom"


def introspect(build, what):
    with open(os.path.join(build, "meson-info", f"intro-{what}.json"), encoding="utf-8") as file:
        return json.load(file)


def output_of(*command):
    """What a command prints; "" if it fails or is not there."""
    if not shutil.which(command[0]):
        return ""
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False,
                          env=dict(os.environ, LC_ALL="C"))
    return done.stdout if done.returncode == 0 else ""


def needed_by(path):
    """The names (SONAME) of the libraries that a file is linked to, and its own name."""
    with open(path, "rb") as file:
        if file.read(4) != b"\x7fELF":
            return [], None
    lines = output_of("readelf", "-d", path)
    if not lines:
        sys.exit(f"{sys.argv[0]}: readelf cannot read {path}")
    own = re.search(r"\(SONAME\).*\[(.*)\]", lines)
    return re.findall(r"\(NEEDED\).*\[(.*)\]", lines), own and own[1]


def find_libraries(path):
    """Where the dynamic linker finds the libraries of a file: a dictionary of names and paths."""
    return dict(re.findall(r"^\s*(\S+) => (/\S+)", output_of("ldd", path), re.MULTILINE))


def package_of(path):
    """Debian's package that has a file: its name and its version, and its purl."""
    real = os.path.realpath(path)
    # A merged /usr: dpkg may know the file by its other name.
    for name in (real, real[4:] if real.startswith("/usr/") else real):
        found = output_of("dpkg-query", "-S", name).split(": ")[0]
        if found and "," not in found:
            name, version, arch = output_of("dpkg-query", "-W", "-f", "${Package} ${Version} ${Architecture}", found).split()
            release = re.search(r'^ID="?([\w.-]+)', output_of("cat", "/etc/os-release"), re.MULTILINE)
            return name, version, f"pkg:deb/{release[1] if release else 'debian'}/{name}@{quote(version)}?arch={arch}"
    return None, None, None


def quote(text):
    return "".join(one if re.match(r"[\w.~:-]", one, re.ASCII) else f"%{ord(one):02X}" for one in text)


def identifier(text):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", text)


def describe_library(name, path, modules):
    """The SPDX package of a library.

    modules: for the path of a library without its version, what Meson says of the dependency"""
    real = os.path.realpath(path) if path else None
    module = next((one for library, one in modules if real and os.path.realpath(library) == real), None)
    package, version, purl = package_of(path) if path else (None, None, None)
    described = {"SPDXID": identifier("Library-" + name), "name": name, "downloadLocation": "NOASSERTION",
                 "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
                 "copyrightText": "NOASSERTION", "primaryPackagePurpose": "LIBRARY"}
    if module and module["version"] != "unknown":
        described["versionInfo"] = module["version"]
        described["comment"] = f"pkg-config: {module['name']}"
    if version:
        described["versionInfo"] = version
        described["supplier"] = "NOASSERTION"
        described["sourceInfo"] = f"Debian package {package}"
        described["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                      "referenceLocator": purl}]
    return described


def make(build):
    project = introspect(build, "projectinfo")
    options = {option["name"]: option["value"] for option in introspect(build, "buildoptions")}
    installed = introspect(build, "installed")
    name, version = project["descriptive_name"], project["version"]
    own = identifier(name)
    modules = [(one["link_args"][0], one) for one in introspect(build, "dependencies")
               if one.get("link_args") and os.path.isabs(one["link_args"][0])]
    files, libraries, provided, needed = [], {}, set(), {}
    for source, place in sorted(installed.items(), key=lambda one: one[1]):
        # A relative path is a link to another file of the list.
        if not os.path.isabs(source) or os.path.isdir(source):
            continue
        if not os.path.exists(source):
            sys.exit(f"{sys.argv[0]}: {source} is not built yet")
        with open(source, "rb") as file:
            content = file.read()
        spdx = {"SPDXID": identifier("File-" + place.lstrip("/")), "fileName": "." + place,
                "checksums": [{"algorithm": kind, "checksumValue": hashlib.new(kind.lower(), content).hexdigest()}
                              for kind in ("SHA1", "SHA256")],
                "licenseConcluded": "NOASSERTION", "licenseInfoInFiles": ["NOASSERTION"], "copyrightText": "NOASSERTION"}
        files.append(spdx)
        names, soname = needed_by(source)
        provided.add(soname)
        needed[spdx["SPDXID"]] = names
        if names:
            libraries.update(find_libraries(source))
    packages, relations = [], [("SPDXRef-DOCUMENT", "DESCRIBES", own)]
    for library in sorted({one for names in needed.values() for one in names} - provided):
        packages.append(describe_library(library, libraries.get(library), modules))
        relations.append((own, "DEPENDS_ON", packages[-1]["SPDXID"]))
    for spdx, names in needed.items():
        relations += [(spdx, "DYNAMIC_LINK", identifier("Library-" + one)) for one in names if one not in provided]
    # The pages of the report have dygraphs inside. Meson 1.7 also lists linkers, which have no sources.
    script = os.path.join(options["dygraphs-dir"], "dygraph.min.js")
    if any(os.path.basename(source) == "html.gresource.xml" for target in introspect(build, "targets")
           for group in target["target_sources"] for source in group.get("sources", [])):
        described = describe_library("dygraphs", script, [])
        described.update(SPDXID=identifier("Contained-dygraphs"), licenseDeclared="MIT", primaryPackagePurpose="SOURCE")
        packages.append(described)
        relations.append((own, "CONTAINS", described["SPDXID"]))
    sums = sorted(one["checksums"][0]["checksumValue"] for one in files)
    packages.insert(0, {
        "SPDXID": own, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": True,
        "packageVerificationCode": {"packageVerificationCodeValue": hashlib.sha1("".join(sums).encode()).hexdigest()},
        "licenseConcluded": LICENSE, "licenseDeclared": LICENSE, "licenseInfoFromFiles": ["NOASSERTION"],
        "copyrightText": "NOASSERTION", "supplier": "NOASSERTION"})
    relations += [(own, "CONTAINS", one["SPDXID"]) for one in files]
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or datetime.datetime.now().timestamp())
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"{name}-{version}",
        "creationInfo": {"creators": [f"Tool: {TOOL}-{version}"], "created":
                         datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")},
        "packages": packages, "files": files,
        "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
                          for one, kind, other in relations]}
    # A document has a name that no other has.
    content = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(document, sort_keys=True))
    document["documentNamespace"] = f"https://spdx.org/spdxdocs/{name}-{version}-{content}"
    return document


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(f"usage: {sys.argv[0]} BUILD_DIR", file=sys.stderr)
        return 2
    json.dump(make(sys.argv[1]), sys.stdout, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
