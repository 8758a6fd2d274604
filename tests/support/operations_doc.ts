/** Reads `docs/operations.md` for tests: commands, configurations and sections. */

const read = (doc: string) => Deno.readTextFile(new URL(`../../docs/${doc}.md`, import.meta.url));

/** A fenced block with the comment above it. */
export interface DocBlock {
  language: string;
  text: string;
  /** The text after `test: ` or `not run: `. */
  mark: { kind: "test" | "not run"; about: string } | undefined;
}

const BLOCK = /(?:<!-- (test|not run): (.*?) -->\n\n)?^```(\w+)\n([\s\S]*?)^```$/gm;

export async function readOperations(): Promise<string> {
  return await read("operations");
}

export function blocksOf(document: string): DocBlock[] {
  return [...document.matchAll(BLOCK)].map(([, kind, about, language, text]) => ({
    language: language!,
    text: text!,
    mark: kind === undefined ? undefined : { kind: kind as "test" | "not run", about: about! },
  }));
}

/** The block that tests run under this name, of `docs/operations.md` or another page. */
export async function blockNamed(name: string, doc = "operations"): Promise<string> {
  const found = blocksOf(await read(doc))
    .filter(({ mark }) => mark?.kind === "test" && mark.about === name);
  if (found.length !== 1) {
    throw new Error(`docs/${doc}.md has ${found.length} blocks "${name}"`);
  }
  return found[0]!.text;
}

/** Replaces addresses and paths in a configuration; each must occur in it. */
export async function configNamed(name: string, change: Record<string, string>): Promise<string> {
  let text = await blockNamed(name);
  for (const [from, to] of Object.entries(change)) {
    if (!text.includes(from)) throw new Error(`the block "${name}" has no ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

/** Runs a block of commands unchanged, with these variables. Throws if it fails. */
export async function runBlock(
  name: string,
  { env, cwd, doc }: { env: Record<string, string>; cwd?: string; doc?: string },
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("/bin/sh", {
    args: ["-ec", await blockNamed(name, doc)],
    env,
    ...cwd !== undefined && { cwd },
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`the block "${name}" failed: ${decoder.decode(stderr)}`);
  return decoder.decode(stdout);
}

/** The text under a second or third level heading, up to the next heading of its level. */
export function sectionOf(document: string, heading: string): string {
  const [, rest] = document.split(`\n${heading}\n`);
  if (rest === undefined) throw new Error(`docs/operations.md has no "${heading}"`);
  const level = heading.indexOf(" ");
  return rest.split(new RegExp(`\n#{2,${level}} `))[0]!;
}

/** Prose with joined lines, so that a statement is found across line breaks. */
export function joined(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

/** Numbers in a section's prose and tables that no statement contains. */
export function unstatedFigures(section: string, statements: readonly string[]): string[] {
  let text = joined(section.replaceAll(BLOCK, ""));
  for (const statement of statements) {
    if (!text.includes(statement)) throw new Error(`docs/operations.md does not say: ${statement}`);
    text = text.replaceAll(statement, "");
  }
  // File names, settings and addresses are not figures.
  text = text.replaceAll(/`[^`]*`|\]\([^)]*\)/g, "");
  return text.match(/\S*\d\S*/g) ?? [];
}
