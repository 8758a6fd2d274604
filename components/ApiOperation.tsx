import { ApiInlineText, ApiProse } from "./ApiProse.tsx";
import { Fragment } from "preact";
import { curlExample } from "@/lib/openapi/curl_example.ts";
import type { MediaType, OperationObject, ResponseObject } from "@/lib/openapi/openapi_types.ts";
import { ApiSchema, Field, Joined } from "./ApiSchema.tsx";

/** A labeled literal text; long lines scroll. */
export function ApiExample(
  { label, note, text }: { label: string; note?: string | undefined; text: string },
) {
  return (
    <figure class="example">
      <figcaption>
        <strong>{label}</strong>
        {note && <ApiInlineText text={` ${note}`} />}
      </figcaption>
      <pre tabIndex={0} aria-label={label}><code>{text}</code></pre>
    </figure>
  );
}

interface Props {
  path: string;
  /** In uppercase. */
  method: string;
  operation: OperationObject;
  baseUrl: string;
}

/** One operation with its request, responses and errors. Its id is its anchor. */
export function ApiOperation({ path, method, operation, baseUrl }: Props) {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  return (
    <article class="operation" id={operationId}>
      <h3>
        <a href={`#${operationId}`}>{summary}</a>
      </h3>
      <p class="address">
        <span class={`method method-${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
      </p>
      {description && <ApiProse text={description} />}
      <Credential operation={operation} />
      {parameters && (
        <>
          <h4>Parameters</h4>
          <dl class="fields">
            {parameters.map(({ name, required, description, schema, in: place }) => (
              <Field {...{ name, required, place }} schema={{ ...schema, description }} />
            ))}
          </dl>
        </>
      )}
      {requestBody && (
        <>
          <h4>Body{requestBody.required ? "" : " (optional)"}</h4>
          <Contents content={requestBody.content} />
        </>
      )}
      <h4>Call</h4>
      <ApiExample label="Command" text={curlExample(operation, { method, url: baseUrl + path })} />
      <h4>Answers</h4>
      {Object.entries(responses).map(([status, response]) => (
        <Answer status={status} response={response} />
      ))}
    </article>
  );
}

function Credential({ operation: { security, ...operation } }: { operation: OperationObject }) {
  const counted = operation["x-rate-limited"] ? "" : " Counts towards no limit.";
  if (security.length === 0) return <p class="credential">No credential.{counted}</p>;
  return (
    <p class="credential">
      <Joined by=" or " parts={security.flatMap((scheme) => Object.entries(scheme).map(oneOf))} />.
      {counted}
    </p>
  );
}

function oneOf([name, scopes]: [string, string[]]) {
  return (
    <Fragment key={name}>
      <a href={`#credential-${name}`}>{name}</a>
      {scopes.length > 0 && (
        <>
          {" with "}
          <code>{scopes.join(", ")}</code>
        </>
      )}
    </Fragment>
  );
}

function Answer({ status, response }: { status: string; response: ResponseObject }) {
  const { description, headers = {}, content } = response;
  const codes = Object.keys(content?.["application/json"]?.examples ?? {});
  const refused = codes.some((code) => code !== "example");
  return (
    <details class="answer" open={Number(status) < 300}>
      <summary>
        <span class={`status status-${status[0]}`}>{status}</span>{" "}
        <ApiInlineText
          text={refused ? codes.map((code) => `\`${code}\``).join(" ") : description}
        />
      </summary>
      <div class="answer-body">
        {refused && <ApiProse text={description} />}
        {Object.keys(headers).length > 0 && (
          <p class="headers">
            Headers:{" "}
            <ApiInlineText text={Object.keys(headers).map((name) => `\`${name}\``).join(", ")} />
          </p>
        )}
        {content && <Contents content={content} />}
      </div>
    </details>
  );
}

function Contents({ content }: { content: Record<string, MediaType> }) {
  return (
    <>
      {Object.entries(content).map(([type, { schema, examples = {} }]) => (
        <div class="content">
          <p class="type">
            <code>{type}</code>
          </p>
          <ApiSchema schema={schema} />
          {Object.entries(examples).map(([name, { summary, value }]) => (
            <ApiExample
              label={name === "example" ? "Example" : name}
              note={type === "text/event-stream" ? summary : undefined}
              text={JSON.stringify(value, null, type === "text/event-stream" ? 0 : 2)}
            />
          ))}
        </div>
      ))}
    </>
  );
}
