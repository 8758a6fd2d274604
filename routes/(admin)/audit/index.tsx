import { type Context, page } from "fresh";
import { AuditFilterForm, type Choice } from "@/components/AuditFilterForm.tsx";
import { AuditList } from "@/components/AuditList.tsx";
import { EmptyState } from "@/components/EmptyState.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { ApiError } from "@/lib/schemas/api_error.ts";
import {
  auditExportHref,
  auditHref,
  auditLog,
  auditRetention,
  readAuditFilters,
  toAuditQuery,
} from "@/lib/dashboard/audit_filters.ts";
import { auditKindLabels } from "@/lib/dashboard/audit_phrases.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import type { AuditEntry } from "@/lib/store/audit/audit_entry.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    const user = signedIn(ctx.state);
    const filters = readAuditFilters(ctx.url);
    const log = auditLog(filters, user);
    const query = toAuditQuery(filters, ctx.url.searchParams.get("cursor"));
    try {
      await service.securityLog.flush();
      const entries = await service.audit.list(log, query);
      const [actors, retention] = await Promise.all([
        actorsOf(ctx),
        auditRetention(log, service.tenants),
      ]);
      const now = service.runtime.now();
      const first = query.cursor === undefined;
      return page({ entries, filters, actors, retention, now, first, user });
    } catch (error) {
      // An invalid cursor from an old bookmark: show the first page.
      if (error instanceof ApiError && error.status === 400) {
        return ctx.redirect(auditHref(filters), 303);
      }
      throw error;
    }
  },
});

/** The actors to filter by: current members and keys, and actors without an account. */
async function actorsOf(ctx: Context<State>): Promise<Choice[]> {
  const { service } = ctx.state;
  const { tenant } = signedIn(ctx.state);
  const [members, apiKeys] = await Promise.all([
    service.team.members(tenant),
    service.apiKeys.list(tenant),
  ]);
  return [
    ...members.map(({ id, email }): Choice => [id, email]),
    ...apiKeys.map(({ id, name }): Choice => [id, t("Key {name}", { name })]),
    ["command_line", t("Command line")],
    ["service", t("Service")],
    ["anonymous", t("Not signed in")],
  ];
}

export default define.page<typeof handler>(({ data }) => {
  const { entries, filters, first } = data;
  // Of somebody who has left, only the id is known.
  const isKnown = filters.actor === "" || data.actors.some(([id]) => id === filters.actor);
  const actors = isKnown ? data.actors : [...data.actors, [filters.actor, filters.actor] as const];
  const names = new Map(actors);
  const nameOf = (actor: AuditEntry["actor"]) => {
    if (actor.kind === "user") return actor.name;
    if (actor.kind === "api_key") {
      return names.get(actor.id) ?? t("Key {actor}", { actor: actor.id });
    }
    return names.get(actor.kind) ?? actor.kind;
  };
  return (
    <>
      <PageHeader
        title={t("Audit log")}
        text={t(
          "Changes with their before and after values, sign-ins, and rejected requests. Stored for {days} days; failed sign-ins and rejected requests for {events}.",
          data.retention,
        )}
      >
        <a class="button" href={auditExportHref(filters, "csv")} download aria-current="false">
          {t("Download CSV")}
        </a>
        <a class="button" href={auditExportHref(filters, "jsonl")} download aria-current="false">
          {t("Download JSON lines")}
        </a>
      </PageHeader>
      <AuditFilterForm
        filters={filters}
        kinds={auditKindLabels()}
        actors={actors}
        operator={data.user.operator}
      />
      {entries.data.length === 0
        ? (
          <EmptyState
            icon="audit"
            title={t("No matching entries")}
            text={t("Change or clear the filters to see other entries.")}
          />
        )
        : (
          <AuditList
            entries={entries.data}
            now={data.now}
            nameOf={nameOf}
            hrefOf={(filter) => auditHref({ ...filters, ...filter })}
          />
        )}
      <nav class="pager" aria-label={t("Pages")}>
        {!first && (
          <a class="button" href={auditHref(filters)} aria-current="false">{t("Newest")}</a>
        )}
        {entries.nextCursor && (
          <a class="button" href={auditHref(filters, entries.nextCursor)} aria-current="false">
            {t("Older")}
          </a>
        )}
      </nav>
    </>
  );
});
