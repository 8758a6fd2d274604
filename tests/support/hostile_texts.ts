import type { HostileFile } from "./hostile_files.ts";

const MIB = 1_048_576;

/** Texts in all encodings, and binary files, that a parser must survive. */
export const HOSTILE_TEXTS: HostileFile[] = [
  { name: "blanks.txt", make: () => " \n".repeat(10 * MIB), ends: "no_text" },
  { name: "noughts.txt", make: () => new Uint8Array(MIB), ends: "unsupported_type" },
  { name: "sprinkled noughts.txt", make: () => "a few words\0 here ".repeat(1_000), ends: "ready" },
  { name: "UTF-16 with a mark.txt", make: () => utf16("\ufeffGrüße, 世界", true), ends: "ready" },
  {
    name: "UTF-16 without one.txt",
    make: () => utf16("Plain old words. ".repeat(9), false),
    ends: "ready",
  },
  {
    name: "Windows-1252.txt",
    make: () => Uint8Array.from("Grüße aus Köln", (one) => one.charCodeAt(0)),
    ends: "ready",
  },
  { name: "noise.txt", make: () => noise(MIB), ends: "unsupported_type" },
  { name: "half a character.txt", make: () => bytes("Grüße 世界").slice(0, -1), ends: "ready" },
  {
    name: "all scripts.txt",
    make: () =>
      ("English עברית العربية हिन्दी ไทยภาษาไทย 日本語のテキスト 한국어 Ελληνικά русский ქართული አማርኛ " +
        "👩‍👩‍👧‍👦🏳️‍🌈 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 ").repeat(3_000),
    ends: "ready",
  },
  { name: "one word.txt", make: () => "x".repeat(2 * MIB), ends: "ready" },
  { name: "one line.txt", make: () => "No end is in sight. ".repeat(100_000), ends: "ready" },
  { name: "Thai without blanks.txt", make: () => "ภาษาไทยไม่มีช่องว่าง".repeat(20_000), ends: "ready" },
  { name: "accents on accents.txt", make: () => `Z${"\u0301".repeat(200_000)}`, ends: "ready" },
  {
    name: "turned around.txt",
    make: () => "\u202e\u2066evil\u2069\u202c ".repeat(500),
    ends: "ready",
  },
  { name: "terminal.txt", make: () => "\x1b[31mred\x1b[0m text ".repeat(500), ends: "ready" },
  { name: "far too long.txt", make: () => "Many words here. ".repeat(1_200_000), ends: "too_long" },
  { name: "quotes in quotes.md", make: () => `${">".repeat(20_000)} deep`, ends: "either" },
  { name: "lists in lists.md", make: nestedList, ends: "either" },
  { name: "brackets.md", make: () => "[".repeat(20_000), ends: "either" },
  { name: "open emphasis.md", make: () => "*a **b _c ".repeat(3_000), ends: "either" },
  {
    name: "open fence.md",
    make: () => `\`\`\`js\n${"let a = 1;\n".repeat(50_000)}`,
    ends: "ready",
  },
  { name: "long table.md", make: () => `|a|b|\n|-|-|\n${"|1|2|\n".repeat(20_000)}`, ends: "ready" },
  { name: "wide table.md", make: wideTable, ends: "ready" },
  { name: "backticks.md", make: () => times(600, (n) => "`".repeat(n)).join(" "), ends: "either" },
  {
    name: "definitions.md",
    make: () => times(20_000, (n) => `[${n}]: /url "t"`).join("\n"),
    ends: "either",
  },
  { name: "angles.md", make: () => "<".repeat(20_000), ends: "either" },
  {
    name: "front matter.md",
    make: () => `---\n${"a: b\n".repeat(1_000)}---\n# Text\n`,
    ends: "ready",
  },
  { name: "script.md", make: () => "# A\n\n<script>alert(1)</script>\n\nText", ends: "ready" },
  { name: "a picture.md", make: () => start([0x89, 0x50, 0x4e, 0x47]), ends: "unsupported_type" },
  { name: "a program.html", make: () => start([0x7f, 0x45, 0x4c, 0x46]), ends: "unsupported_type" },
  { name: "an archive.txt", make: () => start([0x50, 0x4b, 3, 4]), ends: "unsupported_type" },
  { name: "a packed bomb.pdf", make: () => start([0x1f, 0x8b, 8]), ends: "unsupported_type" },
  { name: "old Word.doc", make: () => start([0xd0, 0xcf, 0x11, 0xe0]), ends: "unsupported_type" },
];

export function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

export function times<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n + 1));
}

function utf16(text: string, little: boolean): Uint8Array<ArrayBuffer> {
  const units = new DataView(new ArrayBuffer(text.length * 2));
  for (let n = 0; n < text.length; n++) units.setUint16(n * 2, text.charCodeAt(n), little);
  return new Uint8Array(units.buffer);
}

/** Uniform pseudo-random bytes, the same every time. */
function noise(size: number): Uint8Array<ArrayBuffer> {
  let state = 1;
  return Uint8Array.from({ length: size }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
}

function start(signature: number[]): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(MIB);
  file.set(signature);
  return file;
}

function nestedList(): string {
  return times(300, (n) => `${"  ".repeat(n)}- item`).join("\n");
}

function wideTable(): string {
  const row = (cell: string) => `|${times(3_000, () => cell).join("|")}|\n`;
  return row("name") + row("-") + row("value").repeat(5);
}
