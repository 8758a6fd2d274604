/** Attributes of one element, by lower-case name. */
export type Attributes = ReadonlyMap<string, string>;

export type StartTag = { name: string; attributes: Attributes };

/** Their content is text, even where it looks like a tag. */
const RAW_TEXT = new Set("script style textarea title noscript template iframe".split(" "));
const ENTITIES: Record<string, string> = { amp: "&", quot: '"', lt: "<", gt: ">", "#39": "'" };

/** Reads forward only, so that no page takes more than linear time. */
export function parseStartTags(html: string, names: ReadonlySet<string>): StartTag[] {
  const found: StartTag[] = [];
  // Only ASCII letters change, so that positions in both texts agree.
  const lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  let at = 0;
  while ((at = html.indexOf("<", at)) !== -1) {
    if (html.startsWith("<!--", at)) {
      at = indexAfter(html, "-->", at);
      continue;
    }
    const name = /^[a-z][a-z0-9-]*/.exec(lower.slice(at + 1, at + 40))?.[0];
    if (name === undefined) {
      at++;
      continue;
    }
    const tag = parseAttributes(html, at + 1 + name.length);
    if (tag === undefined) break;
    if (names.has(name)) found.push({ name, attributes: tag.attributes });
    at = RAW_TEXT.has(name) ? indexAfter(lower, `</${name}`, tag.end) : tag.end;
  }
  return found;
}

function indexAfter(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at === -1 ? text.length : at + mark.length;
}

/** `undefined` if the tag does not end. */
function parseAttributes(
  html: string,
  from: number,
): { attributes: Attributes; end: number } | undefined {
  const attributes = new Map<string, string>();
  const name = /[^\s/>=]+/y;
  const value = /\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*))/y;
  let at = from;
  while (at < html.length) {
    if (html[at] === ">") return { attributes, end: at + 1 };
    name.lastIndex = at;
    const key = name.exec(html)?.[0];
    if (key === undefined) {
      at++;
      continue;
    }
    value.lastIndex = at += key.length;
    const given = value.exec(html);
    if (given !== null) at = value.lastIndex;
    // As in browsers, a quote that never closes takes the rest of the page.
    else if (/^\s*=\s*["']/.test(html.slice(at, at + 20))) return undefined;
    const id = key.toLowerCase();
    const text = given?.[1] ?? given?.[2] ?? given?.[3] ?? "";
    const decoded = text.replace(/&(#39|[a-z]+);/g, (whole, name) => ENTITIES[name] ?? whole);
    if (!attributes.has(id)) attributes.set(id, decoded);
  }
  return undefined;
}
