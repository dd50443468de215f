/**
 * Words and whole passwords from the top of every published list of leaked ones; with what people hang on them, they reach eight characters. A longer list would add size to each bundle and little: guessing is throttled after five failures.
 */
const stems = new Set(
  `password passwort passw0rd passcode contraseña
  qwerty qwertyui qwertyuiop qwertyuio qwerasdf qwerzxcv asdfghjk asdfghjkl asdfasdf asdfqwer zxcvbnm zxcvbnma qazwsx qazwsxedc 
  wsxedc qweasd qweasdzxc qweqwe asdasd zaqxsw zaqwsx
  iloveyou iloveu ilovegod lovelove loveme mylove woaini woaiwojia wodemima aini
  welcome letmein changeme changeit trustno access secret default temp temporary guest login
  admin administrator adminadmin root superuser user username test testtest tester demo sluice
  football baseball basketball softball volleyball soccer hockey liverpool chelsea arsenal barcelona juventus yankees
  sunshine princess superman batman spiderman pokemon starwars startrek minecraft master monster monkey dragon shadow
  michael michelle jennifer jessica jordan charlie daniel robert thomas matthew anthony alexander elizabeth christin
  samantha stephanie nicole ashley hannah andrea patricia victoria veronica angelica angelina
  butterfly chocolate computer internet samsung facebook google microsoft windows whatever forever freedom killer
  summer winter spring autumn december november october september february january monday friday
  babygirl blink slipknot metallica mustang corvette ferrari porsche mercedes harley cocacola
  abc abcd abcdef abcdefg abcdefgh aabbcc abcabc aaaa`.split(/\s+/),
);

/** What people type along: rows and columns of the keyboard, the alphabet, the digits. */
const walks = ["01234567890", "1q2w3e4r5t6y7u8i9o0p", "1qaz2wsx3edc4rfv5tgb", "abcdefghijklmnopqrstuvwxyz"];
const rows = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
const runs = [...walks, ...rows].flatMap((walk) => [walk, [...walk].reverse().join("")]);

/** Digits and marks before and after a word: "Admin@2024". More of them are a secret in their own right. */
const hangings = /^[^\p{L}]{1,6}|[^\p{L}]{1,6}$/gu;

/** True for a password among the first that a guesser tries, also with digits and marks around it or letters swapped for look-alikes. */
export function isCommonPassword(password: string): boolean {
  const lower = password.normalize("NFKC").toLowerCase();
  const bare = lower.replace(hangings, "");
  return (
    hasFewCharacters(lower) ||
    isRun(lower) ||
    [lower, bare, fold(lower), fold(bare), fold(lower).replace(hangings, "")].some((form) => stems.has(form))
  );
}

/** Up to two different characters, or one short piece over and over: "11111111", "abababab", "123123123". */
const hasFewCharacters = (text: string): boolean => new Set(text).size <= 2 || /^(.{1,4})\1+$/u.test(text);

/** One walk, or two halves that are both walks: "12345678", "1qaz2wsx", "qwer1234", "abcd4321". */
function isRun(text: string): boolean {
  const isWalk = (part: string) => part.length >= 3 && runs.some((run) => run.includes(part));
  for (let at = 0; at <= text.length - 3; at++) {
    if (at === 0 ? isWalk(text) : at >= 3 && isWalk(text.slice(0, at)) && isWalk(text.slice(at))) return true;
  }
  return false;
}

const lookAlikes: Readonly<Record<string, string>> = { "0": "o", "1": "l", "3": "e", "4": "a", "5": "s", "7": "t" };
const marks: Readonly<Record<string, string>> = { "@": "a", $: "s", "!": "i" };

const fold = (text: string): string => text.replace(/[013457@$!]/g, (c) => lookAlikes[c] ?? marks[c] ?? c);
