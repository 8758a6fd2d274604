import { ProviderGrid } from "@/components/models/ProviderGrid.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { define } from "@/utils.ts";

export default define.page(() => (
  <>
    <PageHeader
      title="Connect a model"
      text="Choose whose models your agents use."
      back={{ href: "/operator/providers", label: "Model providers" }}
    />
    <ProviderGrid />
  </>
));
