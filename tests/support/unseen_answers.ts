/**
 * Realistic answers in nine languages, two of them about documents in another: paraphrases, quotations, numbers,
 * and answers that use nothing. The constants of `usedSources` were not made for them.
 */

type Passages = Readonly<Record<string, readonly [title: string, text: string]>>;
const EN: Passages = {
  vpn: [
    "Setting up the VPN",
    "Install the Lumen client from the software portal, then sign in with your staff account. The VPN disconnects after 8 hours of inactivity. Split tunnelling is switched off for contractors.",
  ],
  leave: [
    "Annual leave",
    "Full-time staff receive 27 days of annual leave. Up to 5 unused days can be carried over until 31 March. Requests are approved by your manager in Workday.",
  ],
  exp: [
    "Expenses",
    "Submit receipts within 60 days in Workday. Meals are reimbursed up to 45 EUR a day. Hotel bookings above 180 EUR a night need approval from your manager.",
  ],
  desk: [
    "Office access",
    "Your badge opens the doors between 6:30 and 22:00. Report a lost badge to security at extension 4411 immediately; a replacement costs 15 EUR.",
  ],
};
const DE: Passages = {
  tarif: [
    "Tarife",
    "Der Tarif Basis kostet 9,99 EUR im Monat und enthält 10 GB Datenvolumen. Der Tarif Plus kostet 19,99 EUR und enthält 40 GB. Die Mindestlaufzeit beträgt 24 Monate.",
  ],
  kuend: [
    "Kündigung",
    "Sie können mit einer Frist von einem Monat zum Ende der Laufzeit kündigen. Die Kündigung ist schriftlich oder im Kundenbereich unter Vertrag möglich.",
  ],
  sim: [
    "SIM-Karte aktivieren",
    "Legen Sie die SIM-Karte ein und starten Sie das Gerät neu. Die Aktivierung dauert bis zu zwei Stunden. Die PIN steht auf dem Kartenträger.",
  ],
  roam: [
    "Roaming im Ausland",
    "In der EU telefonieren und surfen Sie ohne Aufpreis. In der Schweiz kostet ein Megabyte 0,23 EUR. Aktivieren Sie Datenroaming in den Einstellungen.",
  ],
};
const ES: Passages = {
  hor: [
    "Horarios",
    "El museo abre de martes a domingo de 10:00 a 19:00. Los lunes permanece cerrado. La última entrada es a las 18:15.",
  ],
  ent: [
    "Entradas",
    "La entrada general cuesta 12 euros y la reducida 6 euros. Los menores de 12 años entran gratis. El primer domingo de cada mes el acceso es gratuito.",
  ],
  vis: [
    "Visitas guiadas",
    "Las visitas guiadas duran 75 minutos y se ofrecen en español e inglés. El grupo máximo es de 20 personas y hay que reservar con tres días de antelación.",
  ],
};
const IT: Passages = {
  lav: [
    "Lavatrice",
    "Per avviare il programma rapido premere il tasto R per tre secondi. Il programma dura 29 minuti e lava a 30 gradi. Il carico massimo è di 4 kg.",
  ],
  fil: [
    "Pulizia del filtro",
    "Pulire il filtro ogni due mesi. Svuotare l'acqua residua, svitare il tappo in senso antiorario e sciacquare il filtro sotto l'acqua corrente.",
  ],
  err: [
    "Codici di errore",
    "E18 significa che l'acqua non viene scaricata: controllare il filtro e il tubo. E17 indica che il rubinetto è chiuso o la pressione è troppo bassa.",
  ],
};
const PL: Passages = {
  pra: [
    "Praca zdalna",
    "Pracownik może pracować zdalnie do trzech dni w tygodniu. Wniosek należy złożyć do piątku poprzedniego tygodnia u przełożonego.",
  ],
  url: [
    "Urlop",
    "Przysługuje 26 dni urlopu rocznie po dziesięciu latach pracy. Niewykorzystany urlop należy wybrać do 30 września następnego roku.",
  ],
};
const JA: Passages = {
  y: [
    "予約の変更",
    "ご予約の変更は宿泊日の三日前まで無料で承ります。それ以降は宿泊料金の五十パーセントを頂戴します。変更はマイページから行えます。",
  ],
  c: [
    "チェックイン",
    "チェックインは午後三時から、チェックアウトは午前十一時までです。お荷物は到着前でもフロントでお預かりします。",
  ],
};
const ZH: Passages = {
  k: ["开户", "开户需要身份证和手机号码。审核通常在一个工作日内完成，最低存款为五百元。"],
  z: ["转账", "每日转账限额为五万元。跨行转账通常在两小时内到账，周末可能顺延至下一个工作日。"],
};
const RU: Passages = {
  ab: [
    "Абонемент",
    "Абонемент на месяц стоит 3200 рублей. Его можно заморозить на срок до 14 дней, написав администратору.",
  ],
  ras: [
    "Расписание",
    "Зал работает с 7:00 до 23:00 в будни и с 9:00 до 21:00 в выходные. Бассейн закрыт на уборку по вторникам до полудня.",
  ],
};
const AR: Passages = {
  sh: [
    "الشحن",
    "يستغرق التوصيل داخل المدينة يومي عمل ويكلف 25 ريالا. الطلبات التي تزيد على 300 ريال تشحن مجانا.",
  ],
  re: ["الإرجاع", "يمكنك إرجاع المنتج خلال 15 يوما من الاستلام بشرط أن يكون في عبوته الأصلية."],
};
/** What was found, an answer, and the names of the passages that it draws on. */
export const UNSEEN_ANSWERS: readonly [Passages, string, readonly string[]][] = [
  [EN, "You get 27 days of annual leave, and up to 5 unused days carry over until 31 March.", [
    "leave",
  ]],
  [
    EN,
    "Staff who work full time have 27 days off a year. Five of them may be moved to the next year if you take them before the end of March.",
    ["leave"],
  ],
  [EN, "Meals are covered up to 45 EUR per day.", ["exp"]],
  [
    EN,
    "Hand in your receipts in Workday no later than 60 days afterwards. Anything over 180 EUR a night for a hotel has to be approved.",
    ["exp"],
  ],
  [EN, "Call security at 4411 right away. A new badge will cost you 15 EUR.", ["desk"]],
  [
    EN,
    "After eight hours without activity the connection is cut; that is normal. Contractors cannot use split tunnelling.",
    ["vpn"],
  ],
  [
    EN,
    "Leave requests go to your manager in Workday. And the doors open with your badge from 6:30 to 22:00.",
    ["leave", "desk"],
  ],
  [
    EN,
    "I'm sorry, the documents don't say anything about parental leave. Please ask your manager or HR.",
    [],
  ],
  [
    EN,
    "I could not find how to book a meeting room in the office. Is there something else that I can help you with?",
    [],
  ],
  [EN, "You're welcome! Have a nice day.", []],
  [
    EN,
    "Python lists are zero-indexed, so the first element is items[0] and the last is items[-1].",
    [],
  ],
  [EN, "Could you tell me whether you are full-time staff or a contractor?", []],
  [EN, "45 EUR.", ["exp"]],
  [
    EN,
    "Ihre Mahlzeiten werden bis 45 EUR am Tag erstattet, Hotels über 180 EUR brauchen eine Genehmigung, und Belege sind innerhalb von 60 Tagen einzureichen.",
    ["exp"],
  ],
  [DE, "Der Tarif Plus mit 40 GB kostet 19,99 EUR im Monat.", ["tarif"]],
  [
    DE,
    "Für zehn Gigabyte zahlen Sie im Basistarif 9,99 EUR monatlich, mindestens zwei Jahre lang.",
    ["tarif"],
  ],
  [
    DE,
    "Kündigen können Sie schriftlich oder im Kundenbereich, und zwar einen Monat vor dem Ende der Laufzeit.",
    ["kuend"],
  ],
  [
    DE,
    "Nach dem Einlegen der Karte das Gerät bitte neu starten. Es kann bis zu zwei Stunden dauern, bis sie aktiviert ist.",
    ["sim"],
  ],
  [DE, "In der Schweiz zahlen Sie 0,23 EUR pro Megabyte, in der EU nichts extra.", ["roam"]],
  [
    DE,
    "Leider habe ich keine Informationen zu Festnetzanschlüssen gefunden. Wenden Sie sich bitte an den Kundendienst.",
    [],
  ],
  [DE, "Gern geschehen! Kann ich sonst noch etwas für Sie tun?", []],
  [DE, "Zum Roaming in den USA steht in den Unterlagen nichts.", []],
  [
    DE,
    "The Basic plan is 9.99 EUR per month with 10 GB; Plus is 19.99 EUR with 40 GB. The minimum term is 24 months.",
    ["tarif"],
  ],
  [ES, "Abrimos de martes a domingo, de 10:00 a 19:00; los lunes está cerrado.", ["hor"]],
  [ES, "Una entrada normal vale 12 euros. Los niños menores de 12 años no pagan.", ["ent"]],
  [
    ES,
    "Hay visitas en español y en inglés. Tiene que reservar tres días antes y pueden venir hasta 20 personas.",
    ["vis"],
  ],
  [ES, "No he encontrado nada sobre el aparcamiento. ¿Quiere que pregunte a una persona?", []],
  [ES, "¿En qué más puedo ayudarle?", []],
  [IT, "E18 vuol dire che la macchina non scarica l'acqua. Controlli il tubo e il filtro.", [
    "err",
  ]],
  [IT, "Il ciclo rapido dura 29 minuti a 30 gradi, con un carico fino a 4 kg.", ["lav"]],
  [
    IT,
    "Sviti il tappo girandolo in senso antiorario, tolga l'acqua rimasta e sciacqui il filtro.",
    ["fil"],
  ],
  [IT, "Mi dispiace, nei documenti non c'è nulla sull'asciugatrice.", []],
  [PL, "Zdalnie można pracować najwyżej trzy dni w tygodniu, a wniosek składa się do piątku.", [
    "pra",
  ]],
  [PL, "Zaległy urlop trzeba wykorzystać do 30 września.", ["url"]],
  [PL, "Niestety nie znalazłem informacji o premiach.", []],
  [JA, "はい、宿泊日の三日前までなら無料で変更できます。マイページからお手続きください。", ["y"]],
  [JA, "午後三時からチェックインできます。お荷物は先にフロントへお預けください。", ["c"]],
  [JA, "申し訳ありません、駐車場についての情報はございませんでした。", []],
  [ZH, "您需要准备身份证和手机号码，最低存款五百元。", ["k"]],
  [ZH, "每天最多可以转五万元，跨行一般两小时到账。", ["z"]],
  [ZH, "抱歉，没有找到有关信用卡的资料。", []],
  [RU, "Месячный абонемент стоит 3200 рублей, заморозить его можно на 14 дней.", ["ab"]],
  [RU, "В будни мы открыты с 7:00 до 23:00.", ["ras"]],
  [RU, "К сожалению, о парковке ничего не сказано.", []],
  [AR, "يمكنك إرجاع المنتج خلال 15 يوما إذا كان في عبوته الأصلية.", ["re"]],
  [AR, "الشحن مجاني للطلبات التي تزيد على 300 ريال.", ["sh"]],
  [AR, "عذرا، لم أجد معلومات عن طرق الدفع.", []],
];
