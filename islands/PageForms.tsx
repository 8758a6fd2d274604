import { render } from "preact";
import { useEffect } from "preact/hooks";
import { FormIssuesNotice } from "@/components/FormIssuesNotice.tsx";
import { applyFilters } from "@/lib/dashboard/browser/apply_filters.ts";
import { checkForms, type InvalidControl } from "@/lib/dashboard/browser/check_forms.ts";
import { preventDoubleSubmit } from "@/lib/dashboard/browser/prevent_double_submit.ts";

/**
 * What the forms of every page get from a script: validation messages like the server's instead of the
 * browser's bubbles, filters that apply as they are chosen, and no second submission by a double click.
 */
export default function PageForms() {
  useEffect(() => checkForms(document, { onRejected: showSummary }), []);
  useEffect(() => applyFilters(document), []);
  useEffect(() => preventDoubleSubmit(window), []);
  return null;
}

function showSummary(form: HTMLFormElement, faulty: InvalidControl[]): void {
  form.querySelector(":scope > .notice-error, :scope > .form-summary")?.remove();
  const box = document.createElement("div");
  box.className = "form-summary";
  form.prepend(box);
  const { lead } = form.dataset;
  render(<FormIssuesNotice faulty={faulty} {...lead !== undefined && { lead }} />, box);
}
