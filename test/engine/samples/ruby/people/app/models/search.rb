class Search
  def self.run(term)
    # vuln: sql_injection
    Product.where("title LIKE '%#{term}%'")
  end
end

class UserService
  def initialize(params)
    @params = params
  end

  def call
    # vuln: command_injection
    system("echo #{@params[:name]}")
  end
end
