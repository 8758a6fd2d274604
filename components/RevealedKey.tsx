import { CodeBlock } from "./CodeBlock.tsx";
import { Notice } from "./Notice.tsx";
import { PageHeader } from "./PageHeader.tsx";

/** The only page that shows a key, right after it was created. */
export function RevealedKey({ title, secret }: { title: string; secret: string }) {
  return (
    <>
      <PageHeader title={title} back={{ href: "/api-keys", label: "API keys" }} />
      <div class="card narrow stack">
        <Notice kind="warning">
          Copy the key now. You won't be able to see it again, because only a hash is stored.
        </Notice>
        <CodeBlock label="API key" code={secret} wrapped />
        <p class="help">
          Keep it secret, on your server only. Anyone with the key can act for you within its
          scopes.
        </p>
        <div class="form-actions">
          <a class="button button-primary" href="/api-keys" aria-current="false">
            I've copied the key
          </a>
        </div>
      </div>
    </>
  );
}
