import { describeBudget } from "@/lib/dashboard/agents/describe_budget.ts";
import { formValues } from "./form_values.ts";

/** Tells the budget in messages for what the form says now. */
export function updateBudgetHint(form: HTMLFormElement): void {
  const place = document.getElementById("budget-words");
  const model = form.elements.namedItem("model") as HTMLSelectElement | null;
  const { inputUsd, outputUsd } = model?.selectedOptions[0]?.dataset ?? {};
  if (place === null) return;
  const { maxCostUsd = "", systemPrompt = "" } = formValues(form);
  place.textContent = describeBudget({
    price: inputUsd === undefined
      ? undefined
      : { inputUsdPerMTok: Number(inputUsd), outputUsdPerMTok: Number(outputUsd) },
    promptLength: systemPrompt.length,
    maxCostUsd: maxCostUsd.trim() === "" ? NaN : Number(maxCostUsd),
    hardDailyUsd: Number(place.dataset.hardDailyUsd),
  });
}
