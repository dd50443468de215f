using System.Runtime.Serialization.Formatters.Binary;
using System.Security.Cryptography;
using System.Text;
using System.Xml;

namespace Clinic.Services;

public class Passwords
{
    public string Hash(string password)
    {
        // vuln: weak_hash
        using var md5 = MD5.Create();
        return BitConverter.ToString(md5.ComputeHash(Encoding.UTF8.GetBytes(password)));
    }

    public byte[] Derive(string password, byte[] salt)
    {
        // safe: weak_hash
        return Rfc2898DeriveBytes.Pbkdf2(password, salt, 600000, HashAlgorithmName.SHA256, 32);
    }

    public string NewSession()
    {
        // safe: weak_random
        return Convert.ToHexString(RandomNumberGenerator.GetBytes(32));
    }

    public string ResetToken()
    {
        // vuln: weak_random
        var token = new Random().Next(100000, 999999);
        return token.ToString();
    }

    public byte[] Seal(byte[] key, byte[] text)
    {
        using var aes = Aes.Create();
        aes.Key = key;
        // vuln: weak_cipher
        aes.Mode = CipherMode.ECB;
        return aes.CreateEncryptor().TransformFinalBlock(text, 0, text.Length);
    }

    public object Restore(Stream stream)
    {
        // vuln: deserialization
        return new BinaryFormatter().Deserialize(stream);
    }

    public XmlReader Read(Stream stream)
    {
        // safe: xxe
        var settings = new XmlReaderSettings { DtdProcessing = DtdProcessing.Prohibit };
        return XmlReader.Create(stream, settings);
    }

    public XmlReader ReadOld(Stream stream)
    {
        // vuln: xxe
        var settings = new XmlReaderSettings { DtdProcessing = DtdProcessing.Parse };
        return XmlReader.Create(stream, settings);
    }

    public HttpClient Insecure()
    {
        var handler = new HttpClientHandler();
        // vuln: tls_verification
        handler.ServerCertificateCustomValidationCallback = (request, certificate, chain, errors) => true;
        return new HttpClient(handler);
    }
}
