import { DescriptionList } from "@/components/DescriptionList.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import { Time } from "@/components/Time.tsx";
import type { Agent } from "@/lib/schemas/agent.ts";
import type { Publication } from "@/lib/schemas/publication.ts";
import { PublishFields } from "./PublishFields.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface PublishFormsProps {
  agent: Agent;
  publication: Publication;
  /** The state that the forms change; they are rejected when it is another. */
  revision: number;
  editor: boolean;
  now: number;
}

/** What visitors have, the draft, and what can be published. A running canary has the page's primary button. */
export function PublishForms({ agent, publication, revision, editor, now }: PublishFormsProps) {
  const { mode, version, latestVersion, previousVersion, changedAt, canary } = publication;
  const path = `/agents/${agent.id}`;
  const isDraft = latestVersion !== version;
  const canReturn = mode === "manual" && previousVersion !== undefined &&
    previousVersion !== version && previousVersion !== latestVersion;
  const facts = {
    [t("Visitors get")]: <VersionLink path={path} version={version} />,
    [t("Draft")]: isDraft ? <VersionLink path={path} version={latestVersion} /> : t("None"),
    [t("Last change")]: changedAt !== undefined && <Time at={changedAt} now={now} />,
  };
  const form = { action: `${path}/publish`, class: "form-actions" };
  return (
    <section class="card stack" aria-labelledby="publication">
      <h2 id="publication">
        {mode === "automatic" ? t("Published automatically") : t("Published by hand")}
      </h2>
      <DescriptionList of={facts} />
      <p class="prose">
        {mode === "automatic" ? t("Visitors get each version as it is saved.") : t(
          "Saving makes a draft. Visitors keep the published version until you publish another.",
        )}
      </p>
      {isDraft && (
        <p class="prose">
          {t(
            "Sites and domains are part of a version: a site that you removed in the draft can use the agent until you publish it.",
          )}
        </p>
      )}
      {editor && (
        <>
          {isDraft && canary?.version !== latestVersion && (
            <PostForm {...form}>
              <PublishFields
                revision={revision}
                change="publish"
                mode="manual"
                version={latestVersion}
              />
              <button class={canary ? "button" : "button button-primary"} type="submit">
                {t("Publish version {version}", { version: latestVersion })}
              </button>
              <a
                class="button"
                href={`${path}/versions/${latestVersion}?with=${version}`}
                aria-current="false"
              >
                {t("See the changes")}
              </a>
            </PostForm>
          )}
          {canReturn && (
            <PostForm {...form}>
              <PublishFields
                revision={revision}
                change="publish"
                mode="manual"
                version={previousVersion}
              />
              <button class="button" type="submit">
                {t("Go back to version {version}", { version: previousVersion })}
              </button>
            </PostForm>
          )}
          <PostForm {...form}>
            <PublishFields
              revision={revision}
              change="publish"
              mode={mode === "automatic" ? "manual" : "automatic"}
            />
            <button class="button" type="submit">
              {mode === "automatic" ? t("Publish by hand from now on") : t("Publish automatically")}
            </button>
          </PostForm>
        </>
      )}
    </section>
  );
}

function VersionLink({ path, version }: { path: string; version: number }) {
  return <a href={`${path}/versions/${version}`}>{t("Version {version}", { version })}</a>;
}
