require "digest"
require "openssl"
require "securerandom"

module Accounts
  def self.password_hash(password)
    # vuln: weak_hash
    Digest::MD5.hexdigest(password)
  end

  def self.strong_hash(password)
    # safe: weak_hash
    BCrypt::Password.create(password)
  end

  def self.reset_token
    # vuln: weak_random
    token = rand(1_000_000)
    token.to_s
  end

  def self.session_token
    # safe: weak_random
    SecureRandom.urlsafe_base64(32)
  end

  def self.seal(key)
    # vuln: weak_cipher
    cipher = OpenSSL::Cipher.new("aes-128-ecb")
    cipher.key = key
    cipher
  end

  def self.mail_server(host)
    http = Net::HTTP.new(host, 443)
    # vuln: tls_verification
    http.verify_mode = OpenSSL::SSL::VERIFY_NONE
    http
  end
end
