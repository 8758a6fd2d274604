import type { ValidationIssue } from "../schemas/error_codes.ts";
import { VISITOR_BOUNDS as B } from "../schemas/limits.ts";
import {
  type AgentVariable,
  isOfType,
  type VariableValue,
  VISITOR_ID,
} from "../schemas/visitor.ts";

/** The visitor of a session, as its mint named them. */
export interface KnownVisitor {
  id: string;
  variables: Readonly<Record<string, VariableValue>>;
}

/** What `{{visitor.name}}` stands for, by name; a variable without value and default is absent. */
export type VisitorValues = ReadonlyMap<string, VariableValue>;

export type DeclaredNames = readonly Pick<AgentVariable, "name">[] | undefined;
type Declared = readonly AgentVariable[] | undefined;

const PROMPT_PLACEHOLDER = /\{\{visitor\.([^{}\s]{1,256})\}\}/g;

/**
 * The values of a run. Declarations may have changed since the session was minted, so only values of
 * declared variables and of their types count.
 */
export function visitorValues(
  declared: Declared,
  visitor: KnownVisitor | undefined,
): VisitorValues {
  const values = new Map<string, VariableValue>();
  if (visitor !== undefined) values.set(VISITOR_ID, visitor.id);
  const given = visitor?.variables ?? {};
  for (const { name, type, default: otherwise } of declared ?? []) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    const chosen = isOfType(value, type) ? value : otherwise;
    if (chosen !== undefined) values.set(name, chosen);
  }
  return values;
}

/**
 * The prompt with the visitor's values, in one pass: a value that looks like a placeholder stays text.
 * A variable without a value becomes nothing; a name that is not declared stays as it is.
 */
export function expandPrompt(
  prompt: string,
  { variables, visitor }: { variables: Declared; visitor: KnownVisitor | undefined },
): string {
  if (!prompt.includes("{{visitor.")) return prompt;
  const names = knownNames(variables);
  const values = visitorValues(variables, visitor);
  return prompt.replace(PROMPT_PLACEHOLDER, (whole, name: string) => {
    return names.has(name) ? String(values.get(name) ?? "") : whole;
  });
}

/** What is wrong with the placeholders of a prompt. */
export function promptIssues(prompt: string, variables: DeclaredNames): ValidationIssue[] {
  const path = "systemPrompt";
  const used = [...prompt.matchAll(PROMPT_PLACEHOLDER)].map(([, name = ""]) => name);
  const issues = unknownVariables(used, { variables, path });
  if (used.length > B.promptPlaceholders) {
    const message = `has more than ${B.promptPlaceholders} placeholders for variables`;
    issues.push({ path, code: "too_many_placeholders", message });
  }
  return issues;
}

/** An issue for each of `names` that no variable has. */
export function unknownVariables(
  names: readonly string[],
  { variables, path }: { variables: DeclaredNames; path: string },
): ValidationIssue[] {
  const known = knownNames(variables);
  return [...new Set(names)].filter((name) => !known.has(name)).map((name) => {
    const message = `{{visitor.${name}}} is not among the agent's variables`;
    return { path, code: "unknown_variable", message };
  });
}

function knownNames(variables: DeclaredNames): Set<string> {
  return new Set([VISITOR_ID, ...(variables ?? []).map(({ name }) => name)]);
}
