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
    // The catalogue is what brings changed slots in; a page is no run, so it asks here.
    await service.catalogue.list();
    return page({ slots: connectionViews(service), now: service.runtime.now() });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  return (
    <>
      <PageHeader
        title="Vendors"
        text="Three slots for model vendors. What the environment sets up is shown only."
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
              aria-label={`Set up ${slot.label}`}
              aria-current="false"
            >
              {slot.state === "empty" ? "Set up" : "Change"}
            </a>
          )}
      />
    </>
  );
});
