import { describeBudget } from "@/lib/dashboard/agents/describe_budget.ts";
import { formValues } from "./form_values.ts";

/** Updates the budget hint for the form's current values. */
export function updateBudgetHint(form: HTMLFormElement): void {
  const hint = document.getElementById("budget-words");
  const model = form.elements.namedItem("model") as HTMLSelectElement | null;
  const { inputUsd, outputUsd } = model?.selectedOptions[0]?.dataset ?? {};
  if (hint === null) return;
  const { maxCostUsd = "", systemPrompt = "" } = formValues(form);
  hint.textContent = describeBudget({
    price: inputUsd === undefined
      ? undefined
      : { inputUsdPerMTok: Number(inputUsd), outputUsdPerMTok: Number(outputUsd) },
    promptLength: systemPrompt.length,
    maxCostUsd: maxCostUsd.trim() === "" ? NaN : Number(maxCostUsd),
    hardDailyUsd: Number(hint.dataset.hardDailyUsd),
  });
}
