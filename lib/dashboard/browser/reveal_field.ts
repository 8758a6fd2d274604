/** Opens what hides a control: folded details, and the dialog around it. */
export function revealField(element: Element): void {
  const hiding = element.parentElement?.closest("details, dialog");
  if (hiding instanceof HTMLDetailsElement) hiding.open = true;
  if (hiding instanceof HTMLDialogElement && !hiding.open) hiding.showModal();
  if (hiding) revealField(hiding);
}
