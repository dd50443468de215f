class UsersController < ApplicationController
  # vuln: csrf
  skip_before_action :verify_authenticity_token
  before_action :set_user, only: [:show, :update]

  def index
    # vuln: sql_injection
    @users = User.where("name LIKE '%#{params[:q]}%'")
    # vuln: sql_injection
    @users = User.where("name = '" + params[:name] + "'")
    # vuln: sql_injection
    @users = User.order(params[:sort])
    # vuln: sql_injection
    @users = User.order("#{params[:sort]} #{params[:dir]}")
    # vuln: sql_injection
    @users = User.find_by_sql("SELECT * FROM users WHERE id = #{params[:id]}")
    # vuln: sql_injection
    @users = User.joins("LEFT JOIN x ON x.id = #{params[:x]}").all
    # vuln: sql_injection
    User.connection.execute("DELETE FROM users WHERE id = #{params[:id]}")
    # vuln: sql_injection
    ActiveRecord::Base.connection.select_all("SELECT #{params[:col]} FROM users")
    # safe: sql_injection
    @users = User.where(name: params[:name])
    # safe: sql_injection
    @users = User.where("name = ?", params[:name])
    # safe: sql_injection
    @users = User.where("name = :n", n: params[:name])
    # safe: sql_injection
    @users = User.where("id = #{params[:id].to_i}")
    # safe: sql_injection
    @users = User.find_by(email: params[:email])
    # vuln: sql_injection
    @user = User.find_by("email = '#{params[:email]}'")
    # vuln: sql_injection
    User.exists?(["name = '#{params[:n]}'"])
    # vuln: sql_injection
    User.where(["name = '#{params[:n]}'"])
    # vuln: sql_injection
    User.where("id = #{params[:id]}").update_all("admin = #{params[:admin]}")
    # vuln: sql_injection
    User.calculate(:sum, params[:column])
    # vuln: sql_injection
    User.pluck(params[:column])
    # vuln: sql_injection
    User.group(params[:g]).having("count > #{params[:h]}")
    # vuln: sql_injection
    User.lock(params[:lock])
    sort = %w[name email].include?(params[:sort]) ? params[:sort] : "name"
    # safe: sql_injection
    @users = User.order(sort)
    # safe: sql_injection
    @users = User.order(sort_column + " " + sort_direction)
    # vuln: sql_injection
    User.delete_by("id = #{params[:id]}")
    # vuln: sql_injection
    User.where.not("name = '#{params[:n]}'")
    # vuln: sql_injection
    current_user.posts.where("title = '#{params[:t]}'")
  end

  def show
    # vuln: ssti
    render inline: "<h1>#{params[:name]}</h1>"
  end

  def show2
    # vuln: xss
    render html: "<b>#{params[:name]}</b>".html_safe
    # safe: xss
    render plain: params[:name]
    # safe: xss
    render json: { a: params[:a] }
    # vuln: file_inclusion
    render params[:template]
    # vuln: path_traversal
    send_file Rails.root.join("public", params[:file])
    # vuln: path_traversal
    send_file "/srv/files/#{params[:file]}"
    # safe: path_traversal
    send_file "/srv/files/#{File.basename(params[:file])}"
    # vuln: path_traversal
    data = File.read(params[:path])
    # vuln: path_traversal
    data = File.open(Rails.root.join("data", params[:p])) { |f| f.read }
  end

  def go
    # vuln: open_redirect
    redirect_to params[:url]
    # vuln: open_redirect
    redirect_to params[:return_to] || root_path
    # safe: open_redirect
    redirect_to user_path(params[:id])
    # safe: open_redirect
    redirect_to @user
    # safe: open_redirect
    redirect_to request.referer
    # safe: open_redirect
    redirect_back fallback_location: root_path
    # safe: open_redirect
    redirect_to URI.parse(params[:u]).path
  end

  def cmd
    # vuln: command_injection
    system("ls #{params[:dir]}")
    # vuln: command_injection
    `convert #{params[:f]} out.png`
    # vuln: command_injection
    %x(tar xf #{params[:f]})
    # safe: command_injection
    system("ls", params[:dir])
    # vuln: command_injection
    IO.popen("ping #{params[:host]}")
    # vuln: command_injection
    Open3.capture3("dig #{params[:h]}")
    # safe: command_injection
    Open3.capture3("dig", params[:h])
    # vuln: command_injection
    exec "rm #{params[:f]}"
    # safe: command_injection
    system("ls #{Shellwords.escape(params[:d])}")
    # vuln: code_injection
    eval(params[:code])
    # vuln: code_injection
    params[:klass].constantize.new
    # vuln: code_injection
    @user.send(params[:method])
    # vuln: deserialization
    Marshal.load(Base64.decode64(cookies[:prefs]))
    # vuln: deserialization
    YAML.load(params[:yaml])
    # safe: deserialization
    YAML.safe_load(params[:yaml])
    # vuln: ssrf
    Net::HTTP.get(URI.parse(params[:url]))
    # vuln: ssrf
    URI.open(params[:url])
    # vuln: ssrf
    HTTParty.get("http://#{params[:host]}/status")
    # vuln: ssrf
    RestClient.get params[:url]
  end

  def create
    # vuln: mass_assignment
    @user = User.new(params.permit!)
    # vuln: mass_assignment
    @user = User.new(params[:user].permit!)
    # safe: mass_assignment
    @user = User.new(user_params)
    # vuln: weak_hash
    @user.password = Digest::MD5.hexdigest(params[:password])
    # vuln: insecure_cookie
    cookies[:auth_token] = { value: @user.token, httponly: false }
    # vuln: weak_random
    @user.reset_token = rand(100000)
    # safe: weak_random
    @user.reset_token = SecureRandom.hex
  end

  def update
    # vuln: mass_assignment
    @user.update_attributes(params[:user].to_unsafe_h)
    id = params[:id]
    Search.run(params[:term])
    UserService.new(params).call
  end

  private

  def sort_column
    User.column_names.include?(params[:sort]) ? params[:sort] : "name"
  end

  def sort_direction
    %w[asc desc].include?(params[:direction]) ? params[:direction] : "asc"
  end

  def user_params
    params.require(:user).permit(:name, :email)
  end

  def set_user
    @user = User.find(params[:id])
    # vuln: sql_injection
    @user2 = User.where("id = '#{params[:user][:id]}'").first
  end
end
