package secret

// The words of the rules on names and values. All are in small letters.

// thingWords end the names of things that are no secret: where it lies, how it is used, how
// long it lives. A plural counts as well.
var thingWords = map[string]bool{
	"file": true, "path": true, "dir": true, "directory": true, "stdin": true, "host": true, "url": true, "uri": true, "ttl": true,
	"expiry": true, "length": true, "size": true, "helper": true, "manager": true, "provider": true, "plugin": true, "mode": true,
	"method": true, "policy": true, "scope": true, "audience": true, "endpoint": true, "command": true, "format": true,
	"version": true, "name": true, "type": true, "id": true, "env": true, "header": true, "alg": true, "algorithm": true,
	"location": true, "source": true, "class": true, "kind": true, "realm": true, "flow": true, "store": true, "backend": true,
	"var": true, "salt": true, "count": true, "status": true, "mechanism": true, "hash": true,
}

// textEnds end and textStarts begin the names of texts that people read.
var (
	textEnds = map[string]bool{
		"label": true, "title": true, "placeholder": true, "hint": true, "help": true, "message": true, "error": true,
		"description": true, "question": true, "text": true, "forgot": true, "forgotten": true, "change": true, "changed": true, "required": true,
	}
	textStarts = map[string]bool{
		"forgot": true, "forgotten": true, "change": true, "confirm": true, "reset": true, "invalid": true, "generate": true,
	}
)

// switchWords begin the names of flags that take no value.
var switchWords = map[string]bool{
	"no": true, "without": true, "disable": true, "disabled": true, "insecure": true, "allow": true, "skip": true, "use": true,
	"enable": true, "require": true, "show": true, "print": true,
}

// flagProse are the words of eight letters and more that stand behind a flag in prose and in
// the help of a program, where a value would. The shorter ones are too short for one.
var flagProse = map[string]bool{
	"parameter": true, "parameters": true, "argument": true, "arguments": true, "specified": true, "specifies": true,
	"provided": true, "required": true, "requires": true, "optional": true, "instead": true, "together": true,
	"variable": true, "variables": true, "environment": true, "settings": true, "configuration": true, "supported": true,
	"deprecated": true, "available": true, "accepts": true, "contains": true, "controls": true, "directly": true,
	"stringarray": true, "stringslice": true, "stringtostring": true, "duration": true, "password": true, "whenever": true,
	"otherwise": true, "explicitly": true, "whether": true, "authentication": true, "authorization": true, "credentials": true,
	"disables": true, "overrides": true, "multiple": true, "everywhere": true, "previously": true, "automatically": true,
	"respectively": true, "anywhere": true, "followed": true, "combined": true, "followed by": true,
}

// gluedPasses are the names of passwords whose last part has no mark before it.
var gluedPasses = map[string]bool{"sshpass": true, "pgpass": true, "dbpass": true, "userpass": true}

// countedWords stand before tokens that a model reads and writes, and are no secrets.
var countedWords = map[string]bool{
	"max": true, "min": true, "num": true, "total": true, "special": true, "stop": true, "added": true, "prompt": true,
	"completion": true, "input": true, "output": true, "additional": true, "bad": true, "reserved": true, "extra": true, "all": true,
}

// ruleWords stand in lists of rules that values have to obey: required|min:8|confirmed.
var ruleWords = map[string]bool{
	"required": true, "nullable": true, "sometimes": true, "string": true, "confirmed": true, "min": true, "max": true,
	"between": true, "bail": true, "present": true, "filled": true, "size": true, "regex": true, "exists": true, "unique": true,
	"current_password": true, "alpha_num": true, "numeric": true, "integer": true, "required_if": true, "required_with": true, "same": true,
}

// setters are the last names of calls that give a named variable its value.
var setters = map[string]bool{
	"setenvironmentvariable": true, "define": true, "setenv": true, "putenv": true, "set_var": true, "setproperty": true,
	"setdefault": true, "set_default": true,
}

// nativeNames are words for password, secret, token and key in scripts other than Latin.
var nativeNames = []string{
	"密码", "密碼", "口令", "令牌", "密钥", "密鑰", "金鑰",
	"パスワード", "トークン", "シークレット", "秘密鍵",
	"비밀번호", "암호", "토큰", "비밀키",
	"пароль", "Пароль", "ПАРОЛЬ", "токен", "Токен", "секрет", "Секрет", "ключ",
	"رمز", "كلمة المرور", "كلمة السر",
	"पासवर्ड", "टोकन",
	"κωδικός", "סיסמה", "รหัสผ่าน",
}
