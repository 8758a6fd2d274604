import { t } from "@/lib/dashboard/texts/translate.ts";

/** A message of a hand-off. */
export function HandoffMessage(
  { from, name = "", text }: {
    from: "visitor" | "person";
    name?: string | undefined;
    text: string;
  },
) {
  return (
    <div class={`said ${from === "visitor" ? "said-user" : "said-assistant"}`}>
      <p class={from === "visitor" ? "sr-only" : "help"}>
        {from === "visitor" ? t("Visitor:") : t("{name}:", { name })}
      </p>
      <p class="said-text" dir="auto">{text}</p>
    </div>
  );
}
