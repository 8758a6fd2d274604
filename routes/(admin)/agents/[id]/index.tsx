import { SectionPage } from "@/components/agents/SectionPage.tsx";
import { sectionHandlers } from "@/lib/dashboard/agents/section_handlers.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(sectionHandlers("instructions"));

export default define.page<typeof handler>(({ data, url }) => (
  <SectionPage
    data={data}
    url={url}
  />
));
