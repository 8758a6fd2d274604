import type { Languages } from "../../locales.ts";

/** The texts of approvals. Short and calm; strings in the order of calls_ids.ts. */
export const CALLS_TEXTS: Languages = {
  en: "Do you allow this?|Allow|Don’t allow|Waiting for approval",
  nl: "Staat u dit toe?|Toestaan|Niet toestaan|Wacht op goedkeuring",
  de: "Erlauben Sie das?|Erlauben|Nicht erlauben|Wartet auf Freigabe",
  fr: "Autorisez-vous ceci ?|Autoriser|Ne pas autoriser|En attente d’approbation",
  es: "¿Permite esto?|Permitir|No permitir|Esperando aprobación",
  pt: "Você permite isto?|Permitir|Não permitir|Aguardando aprovação",
  it: "Consenti questo?|Consenti|Non consentire|In attesa di approvazione",
  pl: "Czy na to pozwalasz?|Pozwól|Nie pozwalaj|Czeka na zatwierdzenie",
  tr: "Buna izin veriyor musunuz?|İzin ver|İzin verme|Onay bekleniyor",
  ja: "許可しますか？|許可する|許可しない|承認待ち",
  zh: "是否允许？|允许|不允许|等待批准",
  ar: "هل تسمح بهذا؟|السماح|عدم السماح|في انتظار الموافقة",
};
