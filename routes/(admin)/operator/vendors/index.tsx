import { page } from "fresh";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { ConnectionRows } from "@/components/ConnectionRows.tsx";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import { connectionViews } from "@/lib/dashboard/models/connection_views.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    // Reading the catalog loads changed connections, which otherwise happens with each run.
    await service.catalogue.list();
    return page({ slots: connectionViews(service), now: service.runtime.now() });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  return (
    <>
      <PageHeader
        title="Model providers"
        text="Up to three connections. Those set by environment variables are read-only."
      />
      <PageNotice notice={flashMessageOf(url)} />
      <ConnectionRows
        slots={data.slots}
        now={data.now}
        operator
        action={(slot) =>
          slot.source !== "environment" && (
            <a
              class="button button-small"
              href={`/operator/vendors/${slot.vendor}`}
              aria-label={`${slot.state === "empty" ? "Connect" : "Edit"} ${slot.label}`}
              aria-current="false"
            >
              {slot.state === "empty" ? "Connect" : "Edit"}
            </a>
          )}
      />
    </>
  );
});
