Rails.application.configure do
  # vuln: hardcoded_secret
  config.secret_key_base = "d1e3e1b6f0a94b2c8b7de5f2390cc4a871f65b3e04d2a9c7"
end
