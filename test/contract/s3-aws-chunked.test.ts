import { describe, expect, it } from "vitest";
import { AwsChunkedDecoder } from "../../lib/local/s3/aws-chunked.ts";

/** Secret, date and signatures of the examples that AWS gives for each of the two encodings. */
const example = {
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  scope: "20130524/us-east-1/s3/aws4_request",
  date: "20130524T000000Z",
};
const text = "a".repeat(66_560);
const [first, second] = [text.slice(0, 65_536), text.slice(65_536)];
const chunk = (bytes: string, signature: string) =>
  `${bytes.length.toString(16)};chunk-signature=${signature}\r\n${bytes}${bytes === "" ? "" : "\r\n"}`;

// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
const signed = {
  signing: { ...example, seedSignature: "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9" },
  body: [
    chunk(first, "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648"),
    chunk(second, "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497"),
    chunk("", "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9"),
    "\r\n",
  ].join(""),
};

// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html
const signedTrailer = {
  signing: { ...example, seedSignature: "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e" },
  body: [
    chunk(first, "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2"),
    chunk(second, "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7"),
    chunk("", "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992"),
    "x-amz-checksum-crc32c:sOO8/Q==\r\n",
    "x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n",
    "\r\n",
  ].join(""),
};

async function decode(decoder: AwsChunkedDecoder, body: string, pieceBytes: number): Promise<string> {
  const bytes = Buffer.from(body, "latin1");
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  const decoded: Buffer[] = [];
  for await (const piece of decoder.decode(pieces())) decoded.push(piece);
  return Buffer.concat(decoded).toString("latin1");
}

describe("a signed chunked body", () => {
  it.each([
    ["with signatures", signed],
    ["with signatures and a trailer", signedTrailer],
  ])("%s is verified, however it is cut on its way", async (_, { signing, body }) => {
    for (const pieceBytes of [7, 1000, 65_537, 1_000_000]) {
      const decoder = new AwsChunkedDecoder(signing);
      expect(await decode(decoder, body, pieceBytes)).toBe(text);
    }
  });

  it("gives its trailer", async () => {
    const decoder = new AwsChunkedDecoder(signedTrailer.signing);
    await decode(decoder, signedTrailer.body, 1000);
    expect(decoder.trailers.get("x-amz-checksum-crc32c")).toBe("sOO8/Q==");
  });

  it.each([
    ["another byte in a chunk", signed, (body: string) => body.replace("aaa", "aba")],
    ["another signature", signed, (body: string) => body.replace("=0055", "=0056")],
    ["no signature", signed, (body: string) => body.replace(/;chunk-signature=\w+/, "")],
    ["another trailer", signedTrailer, (body: string) => body.replace("sOO8", "sOO9")],
    [
      "a trailer without its signature",
      signedTrailer,
      (body: string) => body.replace(/x-amz-trailer-signature.*\r\n/, ""),
    ],
    ["its last chunk left out", signed, (body: string) => body.replace(/400;chunk-signature=\w+\r\na+\r\n/, "")],
  ])("with %s is refused", async (_, { signing, body }, tamper) => {
    expect(tamper(body)).not.toBe(body);
    await expect(decode(new AwsChunkedDecoder(signing), tamper(body), 1000)).rejects.toMatchObject({
      code: "SignatureDoesNotMatch",
    });
  });
});

describe("an unsigned chunked body", () => {
  const body = "5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n";

  it("is unwrapped", async () => {
    for (let pieceBytes = 1; pieceBytes <= body.length; pieceBytes++) {
      const decoder = new AwsChunkedDecoder(null);
      expect(await decode(decoder, body, pieceBytes)).toBe("hello");
      expect(decoder.trailers).toEqual(new Map([["x-amz-checksum-crc32", "NhCmhg=="]]));
    }
  });

  it("is refused when it is cut anywhere", async () => {
    for (let length = 0; length < body.length; length++) {
      const cut = decode(new AwsChunkedDecoder(null), body.slice(0, length), 1000);
      await expect(cut, `${length} bytes`).rejects.toMatchObject({ code: "IncompleteBody" });
    }
  });

  it.each([
    ["a size that is no number", "x\r\nhello\r\n0\r\n\r\n", "IncompleteBody"],
    ["a negative size", "-5\r\nhello\r\n0\r\n\r\n", "IncompleteBody"],
    ["more bytes than its size", "4\r\nhello\r\n0\r\n\r\n", "IncompleteBody"],
    ["bytes after its end", `${body}more`, "IncompleteBody"],
    ["an endless line", "1".repeat(5000), "IncompleteBody"],
    ["a trailer without a name", "0\r\n: x\r\n\r\n", "MalformedTrailerError"],
    ["a trailer twice", "0\r\na: x\r\na: y\r\n\r\n", "MalformedTrailerError"],
  ])("with %s is refused", async (_, wrong, code) => {
    await expect(decode(new AwsChunkedDecoder(null), wrong, 100)).rejects.toMatchObject({ code });
  });
});
