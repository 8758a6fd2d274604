import { ProviderGrid } from "@/components/models/ProviderGrid.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export default define.page(() => (
  <>
    <PageHeader
      title={t("Connect a model")}
      text={t("Choose whose models your agents use.")}
      back={{ href: "/operator/providers", label: t("Model providers") }}
    />
    <ProviderGrid />
  </>
));
