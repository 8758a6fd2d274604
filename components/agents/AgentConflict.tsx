import type { FieldDiff } from "@/lib/dashboard/agents/agent_diff.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import { NewTabLink } from "../NewTabLink.tsx";
import { Notice } from "../Notice.tsx";
import { VersionDiff } from "../VersionDiff.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface AgentConflictProps {
  /** The page of the editor. */
  path: string;
  agent: Agent;
  /** The version that the form was opened with, as submitted. */
  opened: string;
  /** What others changed in this page's fields. */
  theirs: FieldDiff[];
  /** Undefined if the save was rejected for another reason as well. */
  message: string | undefined;
}

/**
 * Shows what someone else changed while the form was edited. The browser stores the edits, and the
 * first link's page restores them on top of the current version.
 */
export function AgentConflict({ path, agent, opened, theirs, message }: AgentConflictProps) {
  return (
    <div class="conflict stack">
      {message !== undefined && <Notice kind="error" focused>{message}</Notice>}
      {theirs.length > 0 && (
        <section class="card stack" aria-labelledby="theirs-title">
          <h2 id="theirs-title">{t("Their changes")}</h2>
          <VersionDiff diff={theirs} />
        </section>
      )}
      <p class="form-actions">
        <a class="button button-primary" href={path} aria-current="false" data-keeps-draft>
          {t("Open current version")}
        </a>
        <NewTabLink
          class="button"
          href={`/agents/${agent.id}/versions/${agent.version}?with=${opened}`}
        >
          {t("View their changes")}
        </NewTabLink>
      </p>
    </div>
  );
}
