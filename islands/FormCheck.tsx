import { render } from "preact";
import { useEffect } from "preact/hooks";
import { FormIssuesNotice } from "@/components/FormIssuesNotice.tsx";
import { checkForms, type InvalidControl } from "@/lib/dashboard/browser/check_forms.ts";

/** Replaces the browser's validation bubbles by the messages that the server would show. */
export default function FormCheck() {
  useEffect(() => checkForms(document, { onRejected: showSummary }), []);
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
