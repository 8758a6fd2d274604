import { Ajv, type ErrorObject, type Options } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isTooDeep } from "../../../schemas/json_depth.ts";
import { CostLimitError, CostMeter, LinearPatterns } from "./linear_patterns.ts";
import { prepareSchema, REFERENCE_COUNTER_KEYWORD, type SchemaIssue } from "./prepare_schema.ts";

/** Returns what is wrong with a call's arguments, worded for the model; `undefined` if nothing is. */
export type ArgumentValidator = (args: unknown) => string | undefined;

/** Cost of following a reference, which calls a function. */
const REFERENCE_COST = 100;
/** Characters that cost as much as one value. */
const CHARACTERS_PER_STEP = 16;

/**
 * Compiles a tool's `parameters`, or returns the issue and its dotted path. The schema is untrusted:
 * nothing is fetched, `format` is an annotation, patterns run in linear time, and the cost of each
 * validation is limited.
 */
export function compileParameters(
  parameters: Readonly<Record<string, unknown>>,
): { validate: ArgumentValidator } | SchemaIssue {
  const meter = new CostMeter();
  const patterns = new LinearPatterns(meter);
  const prepared = prepareSchema(parameters, (pattern) => patterns.issue(pattern));
  if ("message" in prepared) return prepared;
  const issue = metaSchemaIssue(parameters);
  if (issue !== undefined) return issue;
  meter.reset();
  const { schema, nodes, uniqueItems } = prepared;
  try {
    const check = createAjv(parameters, { meter, patterns }).compile(schema);
    const validate = (args: unknown) => {
      const size = estimateSize(args);
      meter.reset();
      meter.charge(size * nodes + uniqueItems * size ** 2);
      return check(args) === true ? undefined : describeErrors(check.errors);
    };
    return { validate: (args) => validateWithinLimits(validate, args) };
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : "unknown reason";
    return { path: "", message: `cannot be compiled: ${reason}` };
  }
}

/** One instance per schema: an `$id` in one must not be visible to a `$ref` in another. */
function createAjv(
  parameters: Readonly<Record<string, unknown>>,
  { meter, patterns }: { meter: CostMeter; patterns: LinearPatterns },
): Ajv {
  // MCP servers still send draft 7, where keywords such as `items` mean something else.
  const Draft = isDraft7(parameters) ? Ajv : Ajv2020;
  const ajv = new Draft({
    strict: false,
    meta: false,
    validateSchema: false,
    validateFormats: false,
    inlineRefs: false,
    // Otherwise inherited properties such as `constructor` would count as arguments.
    ownProperties: true,
    logger: false,
    // Optimizing the generated code took 85 of 105 ms for 650 properties and gained nothing (measured).
    code: { regExp: toRegExpEngine((pattern) => patterns.compile(pattern)), optimize: false },
  });
  const keyword = REFERENCE_COUNTER_KEYWORD;
  const validate = () => {
    meter.charge(REFERENCE_COST);
    return true;
  };
  ajv.addKeyword({ keyword, before: "$ref", validate, schemaType: "boolean" });
  registerRootAnchor(ajv, parameters);
  return ajv;
}

/** Ajv registers the anchors inside a schema, but not the anchor of the schema itself. */
function registerRootAnchor(ajv: Ajv, schema: Readonly<Record<string, unknown>>): void {
  const { $id, $anchor, $dynamicAnchor } = schema;
  const base = typeof $id === "string" ? $id.replace(/#$/, "") : "";
  for (const name of [$anchor, $dynamicAnchor]) {
    if (typeof name === "string") ajv.refs[`${base}#${name}`] = base;
  }
}

type RegExpEngine = NonNullable<NonNullable<Options["code"]>["regExp"]>;

/** `code` names the engine in generated source that is saved to a file, which never happens here. */
function toRegExpEngine(compile: (pattern: string) => ReturnType<RegExpEngine>): RegExpEngine {
  return Object.assign(compile, { code: "linearPattern" });
}

let metaValidator: Ajv | undefined;

/** The first violation of the 2020-12 meta-schema. */
function metaSchemaIssue(parameters: Readonly<Record<string, unknown>>): SchemaIssue | undefined {
  if (isDraft7(parameters)) return undefined;
  // Created on first use, because it takes 30 ms.
  metaValidator ??= new Ajv2020({ strict: false, validateFormats: false, logger: false });
  const { $schema: _dialect, ...schema } = parameters;
  if (metaValidator.validateSchema(schema) === true) return undefined;
  const [first] = metaValidator.errors ?? [];
  const path = toDottedPath(first?.instancePath ?? "");
  return { path, message: first?.message ?? "is not a valid schema" };
}

function isDraft7({ $schema }: Readonly<Record<string, unknown>>): boolean {
  return typeof $schema === "string" && /draft-0[4-7]/.test($schema);
}

function validateWithinLimits(validate: ArgumentValidator, args: unknown): string | undefined {
  try {
    return validate(args);
  } catch (error) {
    // A schema with endless references to itself overflows the stack.
    if (error instanceof CostLimitError || error instanceof RangeError) {
      return "the arguments cost too much to check against the tool's schema";
    }
    throw error;
  }
}

/** The number of values at all levels, plus text by its length. */
function estimateSize(args: unknown): number {
  if (isTooDeep(args)) throw new CostLimitError("the arguments are nested too deeply");
  let size = 0;
  const pending = [args];
  while (pending.length > 0) {
    const value = pending.pop();
    size += typeof value === "string" ? 1 + value.length / CHARACTERS_PER_STEP : 1;
    if (typeof value !== "object" || value === null) continue;
    for (const inner of Object.values(value)) pending.push(inner);
  }
  return size;
}

function describeErrors(errors: readonly ErrorObject[] | null | undefined): string {
  const first = errors?.[0];
  if (first === undefined) return "the arguments do not match the tool's schema";
  const { additionalProperty, allowedValues } = first.params;
  const detail = additionalProperty ??
    (allowedValues && JSON.stringify(allowedValues).slice(0, 200));
  const path = toDottedPath(first.instancePath) || "the arguments";
  return `${path} ${first.message}${detail === undefined ? "" : `: ${detail}`}`;
}

/** Turns `/a/0/b~1c` into `a.0.b/c`. */
function toDottedPath(pointer: string): string {
  const parts = pointer.split("/").slice(1);
  return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~")).join(".");
}
