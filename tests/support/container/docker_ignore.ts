/** A pattern of `.dockerignore`, and whether it brings a path back. */
interface Rule {
  includes: boolean;
  matches(path: string): boolean;
}

/** Whether Docker copies a file (a relative path) with this `.dockerignore`: the last rule decides. */
export function copiedBy(text: string): (path: string) => boolean {
  const rules = text.split("\n").map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#")).map(ruleOf);
  return (path) => rules.findLast((rule) => rule.matches(path))?.includes ?? true;
}

/** A pattern also matches what is below a folder that it names. */
function ruleOf(line: string): Rule {
  const includes = line.startsWith("!");
  const pattern = includes ? line.slice(1) : line;
  const source = pattern.replaceAll(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("**/", "(?:.*/)?").replaceAll(/(?<!\.)\*/g, "[^/]*");
  const expression = new RegExp(`^${source}(/|$)`);
  return { includes, matches: (path) => expression.test(path) };
}
