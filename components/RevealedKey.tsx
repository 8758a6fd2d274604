import { CodeBlock } from "./CodeBlock.tsx";
import { Notice } from "./Notice.tsx";
import { PageHeader } from "./PageHeader.tsx";

/** The one page that shows a key, right after it was made. */
export function RevealedKey({ title, secret }: { title: string; secret: string }) {
  return (
    <>
      <PageHeader title={title} back={{ href: "/api-keys", label: "API keys" }} />
      <div class="card narrow stack">
        <Notice kind="warning">
          Copy the key now. It is shown this once: only a hash of it is stored.
        </Notice>
        <CodeBlock label="API key" code={secret} wrapped />
        <p class="help">
          Keep it on your server, as a secret. Whoever has it acts for you within its scopes.
        </p>
        <div class="form-actions">
          <a class="button button-primary" href="/api-keys" aria-current="false">
            I have copied it
          </a>
        </div>
      </div>
    </>
  );
}
