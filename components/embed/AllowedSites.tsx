import { Field } from "../Field.tsx";
import { PostForm } from "../PostForm.tsx";

export interface AllowedSitesProps {
  /** The address of the Embed page. */
  path: string;
  origins: readonly string[];
  /** The site as typed, if it was rejected. */
  typed: string;
  issues: { origin?: string; form?: string };
  editor: boolean;
}

/** The sites that may embed the agent, each with a check, and a form to add one. */
export function AllowedSites({ path, origins, typed, issues, editor }: AllowedSitesProps) {
  return (
    <section class="card stack" aria-labelledby="embed-origins">
      <h2 id="embed-origins">1. Allow your site</h2>
      {origins.length === 0 && <p class="prose">No site can embed this agent yet.</p>}
      {origins.length > 0 && (
        <ul class="site-list" aria-label="Allowed sites">
          {origins.map((origin) => (
            <li key={origin}>
              <code>{origin}</code>
              {editor && <SiteActions path={path} origin={origin} />}
            </li>
          ))}
        </ul>
      )}
      {editor && (
        <PostForm
          action={path}
          class="inline-form"
          issues={issues}
          labels={{ origin: "Site" }}
          lead="Couldn't add the site."
        >
          <Field
            name="origin"
            label="Site"
            issue={issues.origin}
            help="The page's address. Only its scheme, host and port count."
          >
            {(attributes) => (
              <input
                type="text"
                inputMode="url"
                {...attributes}
                value={typed}
                required
                maxLength={512}
                placeholder="https://www.example.com"
              />
            )}
          </Field>
          <button class="button" type="submit">Add site</button>
        </PostForm>
      )}
    </section>
  );
}

function SiteActions({ path, origin }: { path: string; origin: string }) {
  return (
    <form method="post" action={path} class="form-actions">
      <a
        class="button button-small"
        href={`${path}/doctor?origin=${encodeURIComponent(origin)}`}
        aria-label={`Check ${origin}`}
      >
        Check
      </a>
      <button
        class="button button-small"
        type="submit"
        name="remove"
        value={origin}
        aria-label={`Remove ${origin}`}
      >
        Remove
      </button>
    </form>
  );
}
