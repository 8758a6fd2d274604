import { render } from "preact";
import { useEffect } from "preact/hooks";
import { FormIssuesNotice } from "@/components/FormIssuesNotice.tsx";
import { applyFilters } from "@/lib/dashboard/browser/apply_filters.ts";
import { checkForms, type InvalidControl } from "@/lib/dashboard/browser/check_forms.ts";

/**
 * What the forms of every page get from a script: validation messages like the server's instead of the
 * browser's bubbles, and filters that apply as they are chosen.
 */
export default function PageForms() {
  useEffect(() => checkForms(document, { onRejected: showSummary }), []);
  useEffect(() => applyFilters(document), []);
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
