import { Notice } from "../Notice.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Explains on every page why a suspended tenant does not answer. */
export function SuspensionNotice({ reason }: { reason: string }) {
  return (
    <Notice kind="warning">
      <p>
        <strong>{t("Your organization is suspended.")}</strong> {t(
          "Your agents, API keys and widgets do not answer. Nothing was deleted: you can see everything, but change nothing.",
        )}
      </p>
      <p>{t("The operator's reason: {reason}", { reason })}</p>
    </Notice>
  );
}
