import { Fragment, type VNode } from "preact";
import type { JsonSchema } from "@/lib/openapi/openapi_types.ts";
import { describeConstraints, refName } from "@/lib/openapi/describe_constraints.ts";
import { ApiInlineText, ApiProse } from "./ApiProse.tsx";

/** A schema with its parts. Named schemas are linked instead of repeated. */
export function ApiSchema({ schema }: { schema: JsonSchema }) {
  const { description, properties, oneOf, anyOf } = schema;
  const choices = oneOf ?? anyOf;
  if (properties !== undefined) return <Fields schema={schema} />;
  return (
    <>
      {description && <ApiProse text={description} />}
      {choices
        ? (
          <ul class="choices">
            {choices.map((choice) => (
              <li>
                <TypeOf schema={choice} />
              </li>
            ))}
          </ul>
        )
        : (
          <p>
            <TypeOf schema={schema} />
          </p>
        )}
    </>
  );
}

function Fields({ schema }: { schema: JsonSchema }) {
  const { description, properties = {}, required = [] } = schema;
  const names = Object.keys(properties);
  return (
    <>
      {description && <ApiProse text={description} />}
      {names.length === 0 && <p>An object without fields.</p>}
      {names.length > 0 && (
        <dl class="fields">
          {Object.entries(properties).map(([name, field]) => (
            <Field name={name} schema={field} required={required.includes(name)} />
          ))}
        </dl>
      )}
    </>
  );
}

/** A field or parameter: name, type, constraints and description. */
export function Field(
  { name, schema, required, place }: {
    name: string;
    schema: JsonSchema;
    required: boolean;
    /** Location of a parameter. */
    place?: string;
  },
) {
  const { description, ...shape } = schema;
  return (
    <>
      <dt>
        <code>{name}</code>
        {place && <span class="place">{place}</span>}
        {required && <span class="required">required</span>}
      </dt>
      <dd>
        <p class="type">
          <TypeOf schema={shape} />
        </p>
        {description && (
          <p>
            <ApiInlineText text={description} />
          </p>
        )}
        {shape.properties && <Fields schema={shape} />}
      </dd>
    </>
  );
}

function TypeOf({ schema }: { schema: JsonSchema }) {
  const { $ref, items, additionalProperties, propertyNames } = schema;
  if ($ref !== undefined) return <a href={`#schema-${refName($ref)}`}>{refName($ref)}</a>;
  if (schema.const !== undefined) return <code>{JSON.stringify(schema.const)}</code>;
  if (schema.enum !== undefined) return <Values values={schema.enum} />;
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) {
    return (
      <Joined by=" or " parts={choices.map((choice) => <TypeOf key={choice} schema={choice} />)} />
    );
  }
  return (
    <>
      {schema.type ?? "any value"}
      {items && (
        <>
          {" of "}
          <TypeOf schema={items} />
        </>
      )}
      {typeof additionalProperties === "object" && propertyNames &&
        (
          <>
            {" of names to "}
            <TypeOf schema={additionalProperties} />
          </>
        )}
      <Limits words={describeConstraints(schema)} />
    </>
  );
}

function Values({ values }: { values: unknown[] }) {
  const parts = values.map((value) => <code key={value}>{JSON.stringify(value)}</code>);
  return <Joined by=" | " parts={parts} />;
}

function Limits({ words }: { words: string[] }) {
  return words.length === 0 ? null : <span class="limits">, {words.join(", ")}</span>;
}

/** Inline parts with a separator. */
export function Joined({ parts, by }: { parts: VNode[]; by: string }) {
  return <>{parts.map((part, i) => i === 0 ? part : <Fragment key={i}>{by}{part}</Fragment>)}</>;
}
