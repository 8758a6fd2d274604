import type { Block } from "../block.ts";
import { DocumentParseError } from "../document_parse_error.ts";
import { decodeHtml, parseHtml } from "../parse_html.ts";
import { Archive, resolvePath } from "./open_archive.ts";
import { readXml } from "./read_xml.ts";

interface Item {
  path: string;
  properties: string;
  mediaType: string;
}

/** The chapters of a book in their order, each under its heading, or else its title in the contents. */
export function parseEpub(bytes: Uint8Array): Block[] {
  const archive = new Archive(bytes);
  const packagePath = findPackage(archive);
  const { items, spine } = readPackage(archive, packagePath);
  const encrypted = readEncrypted(archive);
  const titles = readContents(archive, [...items.values()]);
  const blocks: Block[] = [];
  for (const id of spine) {
    const item = items.get(id);
    if (item === undefined || item.properties.split(" ").includes("nav")) continue;
    if (encrypted.has(item.path)) {
      throw new DocumentParseError("encrypted", "it is protected against copying");
    }
    const content = archive.read(item.path);
    if (content === undefined) continue;
    const chapter = parseHtml(decodeHtml(content));
    const title = titles.get(item.path);
    if (title !== undefined && chapter[0] !== undefined && chapter[0].type !== "heading") {
      blocks.push({ type: "heading", level: 1, text: title });
    }
    for (const block of chapter) blocks.push(block);
  }
  return blocks;
}

function findPackage(archive: Archive): string {
  let path: string | undefined;
  const container = archive.read("META-INF/container.xml");
  if (container !== undefined) {
    readXml(container, {
      open(name, attributes) {
        if (name === "rootfile") path ??= attributes["full-path"];
      },
    });
  }
  if (path !== undefined && archive.names.has(path)) return path;
  throw new DocumentParseError("damaged", "it has no list of its chapters");
}

function readPackage(archive: Archive, packagePath: string) {
  const items = new Map<string, Item>();
  const spine: string[] = [];
  readXml(archive.read(packagePath)!, {
    open(name, attributes) {
      if (name === "itemref" && attributes.idref !== undefined) spine.push(attributes.idref);
      if (name !== "item") return;
      const { id = "", href = "", properties = "" } = attributes;
      const path = resolvePath(packagePath, href);
      const mediaType = attributes["media-type"] ?? "";
      if (path !== undefined) items.set(id, { path, properties, mediaType });
    },
  });
  // A chapter that is listed a thousand times is read once.
  return { items, spine: [...new Set(spine)] };
}

/** The entries that only a reader with a key can read; fonts often are. */
function readEncrypted(archive: Archive): Set<string> {
  const paths = new Set<string>();
  const content = archive.read("META-INF/encryption.xml");
  if (content !== undefined) {
    readXml(content, {
      open(name, { URI }) {
        if (name === "CipherReference" && URI !== undefined) paths.add(resolvePath("", URI) ?? "");
      },
    });
  }
  return paths;
}

/** The titles of chapters in the table of contents, by their paths. */
function readContents(archive: Archive, items: readonly Item[]): Map<string, string> {
  const titles = new Map<string, string>();
  const contents = items.find(({ properties }) => properties.split(" ").includes("nav")) ??
    items.find(({ mediaType }) => mediaType === "application/x-dtbncx+xml");
  const bytes = contents && archive.read(contents.path);
  if (contents === undefined || bytes === undefined) return titles;
  let label = "";
  let target: string | undefined;
  const add = (text: string) => {
    const title = text.replace(/\s+/g, " ").trim();
    if (target !== undefined && title !== "" && !titles.has(target)) titles.set(target, title);
  };
  readXml(bytes, {
    open(name, { href, src }) {
      if (name === "a" || name === "navLabel") label = "";
      if (name === "a") target = resolvePath(contents.path, href ?? "");
      if (name !== "content") return;
      target = resolvePath(contents.path, src ?? "");
      add(label);
    },
    text: (text) => void (label += text),
    close(name) {
      if (name === "a") add(label);
    },
  });
  return titles;
}
