#!/usr/bin/python3
"""pipelines/sbom.py: the document has the form of SPDX 2.3, and tells all files and libraries of a build.

    tests/install/sbom.py BUILD_DIR

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
SCRIPT = os.path.join(ROOT, "pipelines/sbom.py")

# The parts of SPDX 2.3 that the document uses, with what the standard requires of them.
ID = {"type": "string", "pattern": "^SPDXRef-[A-Za-z0-9.-]+$"}
TEXT = {"type": "string", "minLength": 1}
LICENSE = {"enum": ["NOASSERTION", "LGPL-2.1-or-later", "MIT"]}
SCHEMA = {
    "type": "object", "additionalProperties": False,
    "required": ["spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo", "packages", "files",
                 "relationships"],
    "properties": {
        "spdxVersion": {"const": "SPDX-2.3"}, "dataLicense": {"const": "CC0-1.0"}, "SPDXID": {"const": "SPDXRef-DOCUMENT"},
        "name": TEXT, "documentNamespace": {"type": "string", "pattern": "^https://[^ #]+$"},
        "creationInfo": {
            "type": "object", "additionalProperties": False, "required": ["created", "creators"], "properties": {
                "created": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
                "creators": {"type": "array", "minItems": 1, "items": {"type": "string", "pattern": "^Tool: .+-.+$"}}}},
        "packages": {"type": "array", "minItems": 1, "items": {
            "type": "object", "additionalProperties": False,
            "required": ["SPDXID", "name", "downloadLocation", "filesAnalyzed", "licenseConcluded", "licenseDeclared",
                         "copyrightText"],
            "properties": {
                "SPDXID": ID, "name": TEXT, "versionInfo": TEXT, "downloadLocation": {"const": "NOASSERTION"},
                "filesAnalyzed": {"type": "boolean"}, "licenseConcluded": LICENSE, "licenseDeclared": LICENSE,
                "licenseInfoFromFiles": {"type": "array", "items": LICENSE}, "copyrightText": TEXT, "comment": TEXT,
                "sourceInfo": TEXT, "supplier": {"const": "NOASSERTION"},
                "primaryPackagePurpose": {"enum": ["LIBRARY", "SOURCE"]},
                "packageVerificationCode": {
                    "type": "object", "required": ["packageVerificationCodeValue"], "properties": {
                        "packageVerificationCodeValue": {"type": "string", "pattern": "^[0-9a-f]{40}$"}}},
                "externalRefs": {"type": "array", "items": {
                    "type": "object", "additionalProperties": False,
                    "required": ["referenceCategory", "referenceType", "referenceLocator"], "properties": {
                        "referenceCategory": {"const": "PACKAGE-MANAGER"}, "referenceType": {"const": "purl"},
                        "referenceLocator": {"type": "string",
                                             "pattern": r"^pkg:deb/[\w.-]+/[a-z0-9+.-]+@[\w.~:%-]+\?arch=[a-z0-9-]+$"}}}}}}},
        "files": {"type": "array", "minItems": 1, "items": {
            "type": "object", "additionalProperties": False,
            "required": ["SPDXID", "fileName", "checksums", "licenseConcluded", "licenseInfoInFiles", "copyrightText"],
            "properties": {
                "SPDXID": ID, "fileName": {"type": "string", "pattern": r"^\./"}, "licenseConcluded": LICENSE,
                "licenseInfoInFiles": {"type": "array", "items": LICENSE}, "copyrightText": TEXT,
                "checksums": {"type": "array", "minItems": 2, "items": {
                    "type": "object", "additionalProperties": False, "required": ["algorithm", "checksumValue"],
                    "properties": {"algorithm": {"enum": ["SHA1", "SHA256"]},
                                   "checksumValue": {"type": "string", "pattern": "^[0-9a-f]{40}([0-9a-f]{24})?$"}}}}}}},
        "relationships": {"type": "array", "items": {
            "type": "object", "additionalProperties": False,
            "required": ["spdxElementId", "relationshipType", "relatedSpdxElement"], "properties": {
                "spdxElementId": ID, "relatedSpdxElement": ID,
                "relationshipType": {"enum": ["DESCRIBES", "CONTAINS", "DEPENDS_ON", "DYNAMIC_LINK"]}}}}}}


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, encoding="utf-8", check=False,
                          env=dict(os.environ, SOURCE_DATE_EPOCH="1700000000"))


def digest(path, kind):
    with open(path, "rb") as file:
        return hashlib.new(kind, file.read()).hexdigest()


def check_ids(document):
    ids = ["SPDXRef-DOCUMENT", *(one["SPDXID"] for kind in ("packages", "files") for one in document[kind])]
    assert len(ids) == len(set(ids)), sorted(one for one in ids if ids.count(one) > 1)
    for one in document["relationships"]:
        assert {one["spdxElementId"], one["relatedSpdxElement"]} <= set(ids), one


def check_files(document, build):
    """All files that are installed, with their checksums."""
    with open(os.path.join(build, "meson-info/intro-installed.json"), encoding="utf-8") as file:
        installed = {"." + place: source for source, place in json.load(file).items() if os.path.isabs(source)}
    told = {one["fileName"]: {sum["algorithm"]: sum["checksumValue"] for sum in one["checksums"]}
            for one in document["files"]}
    assert told.keys() == installed.keys(), told.keys() ^ installed.keys()
    for name, sums in told.items():
        assert sums == {"SHA1": digest(installed[name], "sha1"), "SHA256": digest(installed[name], "sha256")}, name
    own = document["packages"][0]
    code = hashlib.sha1("".join(sorted(sums["SHA1"] for sums in told.values())).encode()).hexdigest()
    assert own["packageVerificationCode"]["packageVerificationCodeValue"] == code
    return installed


def check_libraries(document, installed):
    """Every library that a file is linked to, as objdump tells it."""
    names = {one["SPDXID"]: one["name"] for one in document["packages"]}
    links = {(one["spdxElementId"], names.get(one["relatedSpdxElement"])) for one in document["relationships"]
             if one["relationshipType"] == "DYNAMIC_LINK"}
    depends = {names.get(one["relatedSpdxElement"]) for one in document["relationships"]
               if one["relationshipType"] == "DEPENDS_ON"}
    expected, own = set(), set()
    for one in document["files"]:
        printed = subprocess.run(["objdump", "-p", installed[one["fileName"]]], capture_output=True, encoding="utf-8",
                                 check=False).stdout
        own |= set(re.findall(r"^ +SONAME +(\S+)$", printed, re.MULTILINE))
        expected |= {(one["SPDXID"], name) for name in re.findall(r"^ +NEEDED +(\S+)$", printed, re.MULTILINE)}
    expected = {one for one in expected if one[1] not in own}
    assert links == expected, links ^ expected
    assert depends == {name for _, name in expected} and "libgstreamer-1.0.so.0" in depends, depends
    # Each library that pkg-config knows has a version.
    for package in document["packages"]:
        assert "versionInfo" in package or "comment" not in package, package


def check_contained(document):
    """The pages of the report have dygraphs inside."""
    with open(os.path.join(sys.argv[1], "meson-info/intro-targets.json"), encoding="utf-8") as file:
        has_pages = "html.gresource.xml" in file.read()
    assert [one["name"] for one in document["packages"]].count("dygraphs") == has_pages


def main():
    build = sys.argv[1]
    try:
        import jsonschema
    except ImportError as error:
        print("skipped:", error)
        return 77
    if not shutil.which("objdump") or not shutil.which("readelf"):
        print("skipped: there is no objdump or no readelf")
        return 77
    done = run(build)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    jsonschema.validate(document, SCHEMA)
    check_ids(document)
    installed = check_files(document, build)
    check_libraries(document, installed)
    check_contained(document)
    with open(os.path.join(ROOT, "pipelines/python/cudahisto/VERSION"), encoding="utf-8") as file:
        assert document["packages"][0]["versionInfo"] == file.read().strip()
    assert document["creationInfo"]["created"] == "2023-11-14T22:13:20Z"
    assert run(build).stdout == done.stdout, "each run of the same time makes the same document"
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.join(build, "meson-info"), os.path.join(folder, "meson-info"))
        path = os.path.join(folder, "meson-info/intro-installed.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({folder + "/gone.so": "/usr/lib/gone.so"}, file)
        done = run(folder)
        assert done.returncode == 1 and "gone.so is not built yet" in done.stderr and not done.stdout, done
    assert run().returncode == 2 and run(build, "too many").returncode == 2
    print(f"sbom: {len(document['files'])} files, {len(document['packages'])} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
