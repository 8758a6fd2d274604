import { Field } from "../Field.tsx";
import { NativeApps } from "./NativeApps.tsx";
import { PostForm } from "../PostForm.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface AllowedSitesProps {
  /** The address of the Embed page. */
  path: string;
  origins: readonly string[];
  /** The site as typed, if it was rejected. */
  typed: string;
  issues: { origin?: string; form?: string };
  nativeApps: boolean;
  editor: boolean;
}

/** The sites that may embed the agent, each with a check, a form to add one, and one for native apps. */
export function AllowedSites(
  { path, origins, typed, issues, nativeApps, editor }: AllowedSitesProps,
) {
  return (
    <section class="card stack" aria-labelledby="embed-origins">
      <h2 id="embed-origins">{t("1. Allow your site")}</h2>
      {origins.length === 0 && <p class="prose">{t("No site can embed this agent yet.")}</p>}
      {origins.length > 0 && (
        <ul class="site-list" aria-label={t("Allowed sites")}>
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
          labels={{ origin: t("Site") }}
          lead={t("Couldn't add the site.")}
        >
          <Field
            name="origin"
            label={t("Site")}
            issue={issues.origin}
            help={t("The page's address. Only its scheme, host and port count.")}
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
          <button class="button" type="submit">{t("Add site")}</button>
        </PostForm>
      )}
      {editor && <NativeApps path={path} isAllowed={nativeApps} />}
      {!editor && nativeApps && <p class="help">{t("Native apps may chat with this agent.")}</p>}
    </section>
  );
}

function SiteActions({ path, origin }: { path: string; origin: string }) {
  return (
    <form method="post" action={path} class="form-actions">
      <a
        class="button button-small"
        href={`${path}/doctor?origin=${encodeURIComponent(origin)}`}
        aria-label={t("Check {origin}", { origin })}
      >
        {t("Check")}
      </a>
      <button
        class="button button-small"
        type="submit"
        name="remove"
        value={origin}
        aria-label={t("Remove {origin}", { origin })}
      >
        {t("Remove")}
      </button>
    </form>
  );
}
